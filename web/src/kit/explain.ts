import { type ApiProblem, complaintsOf } from '../server/api-problem.ts';

/** The message for a problem. */
export function explain({ status, message, details, retryAfterSeconds }: ApiProblem): string {
  if (status === 0) return 'No connection to the server.';
  if (status === 429) return `Too many attempts. ${tryAgainIn(retryAfterSeconds ?? 60)}`;
  if (status >= 500) return 'Server error.';
  // What is missing, and whom to ask.
  return status === 403 && details !== '' ? details : sentence(placeInWords(message));
}

/** All complaints, if there is more than the message. */
export function furtherComplaints(problem: ApiProblem): string[] {
  const complaints = problem.status < 500 && problem.details.includes('\n') ? complaintsOf(problem) : [];
  return complaints.map((complaint) => sentence(placeInWords(complaint)));
}

/** Paths are for programs: people count rules and conditions from 1. */
const placeInWords = (message: string): string =>
  message
    .replace(/^rules\/(\d+)\/condition\/matchers\/(\d+)\//, (_, rule: string, matcher: string) => {
      return `Rule ${Number(rule) + 1}, condition ${Number(matcher) + 1}: `;
    })
    .replace(/^rules\/(\d+)\//, (_, rule: string) => `Rule ${Number(rule) + 1}: `)
    .replace(/^(Rule .*: )depends\/splitName /, '$1flag ');

/** Server messages have no full stop. */
export const sentence = (message: string): string => (/[.?]$/.test(message) ? message : `${message}.`);

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

function tryAgainIn(seconds: number): string {
  if (seconds < 60) return `Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`;
  const minutes = Math.ceil(seconds / 60);
  const at = clock.format(Date.now() + seconds * 1000);
  return `Try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}, at ${at}.`;
}
