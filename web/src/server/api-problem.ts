/** A refusal by the server. Status 0: the server could not be reached. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly details: string;
  readonly transactionId: string;
  /** Seconds to wait before a retry. */
  readonly retryAfterSeconds: number | undefined;
  /** There is no session, or it has ended. */
  readonly signedOut: boolean;
  /** The project requires a title and a comment: the one refusal without a body. */
  readonly noteRequired: boolean;
  /** The user's rights in the project do not suffice. The details say why, and whom to ask. */
  readonly rightMissing: boolean;
  /** The server began to require a second factor, and the user has none. */
  readonly secondFactorMissing: boolean;
  /** The project was deleted, or the user can no longer see it. */
  readonly projectGone: boolean;

  constructor(fields: Partial<Omit<ApiProblem, 'name'>> & { readonly status: number; readonly message: string }) {
    super(fields.noteRequired ? 'This project requires a title and a comment' : fields.message);
    this.name = 'ApiProblem';
    this.status = fields.status;
    this.details = fields.details ?? '';
    this.transactionId = fields.transactionId ?? '';
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.signedOut = fields.signedOut ?? false;
    this.noteRequired = fields.noteRequired ?? false;
    this.rightMissing = fields.rightMissing ?? false;
    this.secondFactorMissing = fields.secondFactorMissing ?? false;
    this.projectGone = fields.projectGone ?? false;
  }
}

/** All complaints of the server, one sentence each. */
export const complaintsOf = ({ message, details }: ApiProblem): string[] =>
  details === '' ? [message] : details.split('\n');
