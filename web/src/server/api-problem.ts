/** The server refused, or could not be reached: then the status is 0. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly details: string;
  readonly transactionId: string;
  /** When it makes sense to try again. */
  readonly retryAfterSeconds: number | undefined;
  /** The session is over, or there was none. */
  readonly signedOut: boolean;
  /** The project asks for a title and a comment: the one refusal that comes without a body. */
  readonly noteRequired: boolean;

  constructor(fields: Partial<Omit<ApiProblem, 'name'>> & { readonly status: number; readonly message: string }) {
    super(fields.noteRequired ? 'This project requires a title and a comment' : fields.message);
    this.name = 'ApiProblem';
    this.status = fields.status;
    this.details = fields.details ?? '';
    this.transactionId = fields.transactionId ?? '';
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.signedOut = fields.signedOut ?? false;
    this.noteRequired = fields.noteRequired ?? false;
  }
}

/** Everything that the server complains about, one sentence each. */
export const complaintsOf = ({ message, details }: ApiProblem): string[] =>
  details === '' ? [message] : details.split('\n');
