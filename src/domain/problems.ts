/**
 * Everything that Burgee can refuse: code → kind, message, and details. Messages that the specification prints are the
 * vendor's and must not change; the details add what they leave out. `docs/problems.md` explains each code; a test
 * compares its messages with these.
 */
import { commandLine } from './operator.ts';

export type Kind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'locked'
  | 'precondition_failed'
  | 'too_large'
  | 'too_many'
  | 'internal'
  | 'unavailable';

interface Entry<Facts> {
  readonly kind: Kind;
  readonly sentence: (facts: Facts) => string;
  readonly details: (facts: Facts) => string;
}

const problem = <Facts = void>(
  kind: Kind,
  sentence: (facts: Facts) => string,
  details: (facts: Facts) => string = () => '',
): Entry<Facts> => ({ kind, sentence, details });

/** A single complaint is the message; several are listed in the error's details. */
const listed = (complaints: readonly string[]) => (complaints.length > 1 ? complaints.map(brief).join('\n') : '');
const invalid = () =>
  problem<{ complaints: readonly string[] }>(
    'invalid',
    (p) => p.complaints[0] ?? 'Invalid',
    (p) => listed(p.complaints),
  );
const notFound = (thing: string, advice = '') =>
  problem<{ nameOrId: string }>(
    'not_found',
    (p) => `Could not find ${thing} ${p.nameOrId}`,
    () => advice,
  );
/** `similar`: a name that differs only in case. */
const notFoundByName = (thing: string, list: string) =>
  problem<{ nameOrId: string; similar?: string | undefined }>(
    'not_found',
    (p) => `Could not find ${thing} ${p.nameOrId}`,
    (p) =>
      p.similar === undefined
        ? `No ${thing} that you can access has this id or name. ${list} lists them`
        : `Did you mean ${p.similar}? Names are case-sensitive`,
  );
/** `reason`: what the actor lacks. `ask`: who can grant it. */
const roleInsufficient = () =>
  problem<{ reason: string; ask: string }>(
    'forbidden',
    () => 'Role is insufficient',
    (p) => `${p.reason} ${p.ask}`,
  );
const taken = (thing: string) => problem<{ name: string }>('conflict', (p) => `${thing} ${p.name} already exists`);

const whoApproves =
  'Where the environment restricts approvers, those on its list and administrators can approve; elsewhere, everyone who can edit definitions there and, if the request names people, is one of them. API keys must be on the list (approvers of changePermissions)';

export const problems = {
  // the request
  request_invalid: invalid(),
  json_invalid: problem<{ reason: string }>('invalid', (p) => `The body is not valid JSON: ${p.reason}`),
  marker_invalid: problem('invalid', () => 'Unknown marker: send a marker exactly as this list returned it'),
  body_too_large: problem<{ limit: number }>('too_large', (p) => `The body is larger than ${p.limit} bytes`),
  path_unknown: problem<{ path: string; hint: string }>(
    'not_found',
    (p) => `Could not find path ${p.path}`,
    (p) => p.hint,
  ),
  method_not_allowed: problem<{ method: string; allowed: readonly string[] }>(
    'method_not_allowed',
    (p) => `Method ${p.method} is not allowed here`,
    (p) => `This path accepts ${p.allowed.join(', ')}`,
  ),
  precondition_failed: problem(
    'precondition_failed',
    () => 'If-Match does not match the current ETag: this was changed in the meantime, or does not exist yet',
  ),
  patch_invalid: problem<{ complaints: readonly string[]; changeable?: readonly string[] | undefined }>(
    'invalid',
    (p) => p.complaints[0] ?? 'Invalid',
    (p) =>
      p.changeable
        ? `A patch can change ${p.changeable.map((member) => `/${member}`).join(', ')}`
        : listed(p.complaints),
  ),
  note_required: problem('invalid', () => 'The project requires a title and a comment'),

  // authentication
  unauthenticated: problem<{ why: keyof typeof keyTroubles } | undefined>(
    'unauthenticated',
    () => 'Invalid Admin API Key',
    (p) => (p ? keyTroubles[p.why] : ''),
  ),
  too_many_failures: problem<{ seconds: number }>(
    'too_many',
    () => 'Too many failed authentications from this address',
  ),
  too_many_requests: problem<{ seconds: number }>(
    'too_many',
    (p) => `Too many requests; try again in ${p.seconds} seconds`,
  ),
  too_many_attempts: problem<{ seconds: number }>(
    'too_many',
    (p) => `Too many attempts; try again in ${p.seconds} seconds`,
  ),
  signed_out: problem('unauthenticated', () => 'Sign in first'),
  credentials_invalid: problem('unauthenticated', () => 'Email, password or code is incorrect'),
  code_required: problem(
    'unauthenticated',
    () => 'A two-factor code is required',
    // Sign-in forms look for this text to tell it from a wrong password.
    () => 'code required',
  ),
  account_deactivated: problem('forbidden', () => 'This account is deactivated; ask an administrator'),
  origin_foreign: problem('forbidden', () => 'Cross-site request blocked'),
  /** The role has no such permission, or the scope is too narrow. */
  forbidden: roleInsufficient(),
  /** The role would do, but an access list of the project does not name the actor. */
  right_missing: roleInsufficient(),
  scope_too_wide: problem('forbidden', () => 'A key cannot create a key with a wider scope than its own'),

  // projects and their contents
  project_not_found: notFoundByName('project', 'GET /workspaces'),
  project_name_taken: taken('Project'),
  project_in_use: problem<{ name: string }>(
    'invalid',
    (p) => `Project ${p.name} still has environments or traffic types; delete them first`,
  ),
  project_guarded: problem<{ name: string; environment: string }>(
    'forbidden',
    (p) => `Project ${p.name} cannot be deleted with its contents: changes in ${p.environment} need an approval`,
    (p) => `Turn approvals off in ${p.environment} first, or delete its definitions with approved changesets`,
  ),
  project_too_large: problem<{ name: string; max: number; contents: string }>(
    'invalid',
    (p) => `Project ${p.name} has more than ${p.max} ${p.contents}`,
    () => 'They must fit into one transaction: delete some of them first, or copy the project without flags',
  ),
  environment_not_found: notFoundByName('environment', 'GET /environments/ws/<project>'),
  environment_ambiguous: problem<{ name: string }>(
    'invalid',
    (p) => `Several projects have an environment named ${p.name}; send its id`,
    () => 'GET /environments/ws/<project> shows the id',
  ),
  environment_name_taken: taken('Environment'),
  environment_in_use: problem<{ name: string }>(
    'invalid',
    (p) => `Environment ${p.name} still has feature flag definitions or segments; delete or deactivate them first`,
  ),
  // The vendor's message: clean-up tools parse the ids in the brackets.
  environment_has_keys: problem<{ id: string; keyIds: string }>(
    'invalid',
    (p) => `Environment ${p.id} cannot be archived, it has apitokens associated [${p.keyIds}]`,
  ),
  permissions_unsupported: problem<{ member: string }>(
    'invalid',
    (p) => `${p.member} must be false: it is not supported`,
    () => 'To limit who can act in an environment, use editors, killers and approvers of changePermissions',
  ),
  traffic_type_not_found: notFoundByName('traffic type', 'GET /trafficTypes/ws/<project>'),
  traffic_type_name_taken: taken('Traffic type'),
  traffic_type_in_use: problem<{ name: string }>(
    'invalid',
    (p) => `Traffic type ${p.name} is still used by feature flags or segments; delete them first`,
  ),
  rollout_status_not_found: notFound(
    'rollout status',
    'Rollout statuses are found by id; GET /rolloutStatuses?wsId=<project> lists them',
  ),
  rollout_status_name_taken: taken('Rollout status'),
  rollout_status_in_use: problem<{ name: string; flags: number; max: number }>(
    'invalid',
    (p) => `Rollout status ${p.name} is used by ${p.flags} ${p.flags === 1 ? 'feature flag' : 'feature flags'}`,
    (p) =>
      p.flags > p.max
        ? `At most ${p.max} flags can be moved in one change. Give some of them another status first`
        : 'Name the status that they get, by its id, in moveTo',
  ),
  rollout_status_last: problem<{ name: string }>(
    'invalid',
    (p) => `Rollout status ${p.name} is the only one of the project; add another one first`,
  ),
  attribute_not_found: notFound(
    'attribute',
    'Attributes are found by id, which is case-sensitive; GET /schema/ws/<project>/trafficTypes/<traffic type> lists them',
  ),
  attribute_invalid: invalid(),
  too_many_attributes: problem<{ max: number }>(
    'invalid',
    (p) => `A traffic type can have at most ${p.max} attributes; delete some first`,
  ),
  identity_not_found: notFound('identity', 'Identities are found by key, which is case-sensitive'),
  identity_invalid: invalid(),
  restriction_invalid: invalid(),

  // flags and definitions
  flag_not_found: notFound(
    'flag',
    'The project has no flag with this name or id. Names are case-sensitive; GET /splits/ws/<project>?name=<part of the name> ignores case',
  ),
  flag_name_taken: taken('Feature flag'),
  flag_invalid: invalid(),
  flag_archived: problem<{ name: string }>(
    'conflict',
    (p) => `Flag ${p.name} is archived; unarchive it before you change it`,
  ),
  too_many_code_reports: problem<{ max: number }>(
    'conflict',
    (p) =>
      `The project already has code references of ${p.max} branches; to delete those of a branch, report it without references`,
  ),
  deleted_flag_not_found: notFound(
    'deleted flag',
    'A deleted flag is found by its id, as long as the audit log has the entry of its deletion',
  ),
  deleted_segment_not_found: notFound(
    'deleted segment',
    'A deleted segment is found by its id, as long as the audit log has the entry of its deletion',
  ),
  object_type_unknown: notFound('object type', 'Object types are Split, Segment, LargeSegment and RuleBasedSegment'),
  definition_not_found: problem<MissingDefinition>(
    'not_found',
    (p) => `Could not find splitmetadata ${p.nameOrId}`,
    (p) => missingDefinition[p.missing](p),
  ),
  deleted_definition_not_found: problem<{ flag: string; environment: string }>(
    'not_found',
    (p) => `Could not find a deleted definition of ${p.flag} in ${p.environment}`,
  ),
  definition_exists: problem<{ flag: string; environment: string }>(
    'conflict',
    (p) => `Definition of ${p.flag} in ${p.environment} already exists`,
  ),
  definition_invalid: invalid(),
  flag_set_not_found: notFound(
    'flag set',
    'Flag sets are found by id; GET /flag-sets?workspace_id=<project> lists them',
  ),
  flag_set_name_taken: taken('Flag set'),
  flag_set_in_use: problem<{ name: string; max: number }>(
    'invalid',
    (p) => `Flag set ${p.name} is used by more than ${p.max} definitions; remove it from some of them first`,
  ),

  // views
  view_not_found: notFound('view', 'Views are found by name; GET /views/ws/<project> lists them'),
  too_many_views: problem<{ max: number }>('conflict', (p) => `There are already ${p.max} views; delete one first`),

  // watches
  too_many_watches: problem<{ max: number; watchers: number }>(
    'conflict',
    (p) => `You already watch ${p.max} flags, or ${p.watchers} people already watch this one`,
  ),

  // changesets
  changeset_not_found: notFound(
    'changeset',
    'Changesets are found by id; GET /changesets?workspaceId=<project> lists them',
  ),
  changeset_invalid: invalid(),
  changeset_state: problem<{ status: string; needed: string; verb: string }>(
    'conflict',
    (p) => `The changeset is ${p.status}; only one that is ${p.needed} can be ${p.verb}`,
  ),
  changeset_conflict: problem<{ conflicts: readonly string[] }>(
    'conflict',
    (p) =>
      p.conflicts.length === 1 ? `${p.conflicts[0]}` : `${p.conflicts.length} conflicts with changes made since then`,
    (p) => listed(p.conflicts),
  ),
  changeset_without_changes: problem(
    'invalid',
    () =>
      'There is nothing to revert: the changeset changed nothing that can be undone, or its audit entries were deleted',
  ),

  /** The vendor's message. */
  approvals_required: problem<{ accountId: string; environmentId: string; environment: string }>(
    'forbidden',
    (p) => `Approvals are required. orgId=${p.accountId} envId=${p.environmentId}`,
    (p) =>
      `Changes in ${p.environment} need an approval. Propose the change: POST /changesets with its operations, then POST /changesets/<id>/request. Once it is approved, POST /changesets/<id>/apply applies it`,
  ),
  approvers_restricted: problem<{ environment: string }>(
    'invalid',
    () => 'Something was wrong',
    (p) => `approvers must be empty: ${p.environment} has its own list of approvers`,
  ),
  changeset_own: problem(
    'forbidden',
    () => 'You cannot approve or reject a changeset that you wrote or edited',
    () => 'Ask someone else. To drop it, withdraw it: DELETE /changesets/<id>',
  ),
  changeset_not_approver: problem<{ name: string }>(
    'forbidden',
    (p) => `${p.name} cannot approve this changeset`,
    () => `GET /changesets/<id>/plan says which approvals it needs. ${whoApproves}`,
  ),

  // segments
  segment_not_found: notFound(
    'segment',
    'The project has no segment of this kind with this name. Names are case-sensitive; GET /segments/ws/<project>, /large-segments/ws/<project> and /rule-based-segments/ws/<project> list them',
  ),
  segment_not_active: problem<{ name: string; environment: string }>(
    'not_found',
    (p) => `Could not find segment ${p.name} in environment ${p.environment}`,
    () =>
      'It does not exist, or it is not active there; POST /segments/<environment>/<segment> activates a standard segment',
  ),
  segment_name_taken: taken('Segment'),
  segment_active: problem<{ name: string; environment: string }>(
    'conflict',
    (p) => `Segment ${p.name} is already active in ${p.environment}`,
  ),
  segment_in_use: problem<{ name: string; users: string }>(
    'conflict',
    (p) => `Segment ${p.name} is still used by ${p.users}`,
  ),
  segment_has_keys: problem<{ name: string; environment: string; count: number }>(
    'invalid',
    (p) => `Segment ${p.name} still has ${p.count} keys in ${p.environment}; remove them first`,
  ),
  segment_invalid: invalid(),
  rule_based_segment_invalid: invalid(),
  change_request_not_found: notFound('change request', 'Change requests are found by id'),
  change_request_unsupported: problem<{ reason: string }>('invalid', (p) => p.reason),
  change_request_pending: problem<{ id: string }>(
    'locked',
    () => 'Something was wrong',
    (p) => `A pending change request with id:${p.id} for this object already exists`,
  ),
  change_request_not_approver: problem<{ name: string }>(
    'unauthenticated',
    (p) => `${p.name} cannot approve this change request`,
    () => whoApproves,
  ),
  too_many_uploads: problem<{ seconds: number }>(
    'unavailable',
    (p) => `Other uploads are running; try again in ${p.seconds} seconds`,
  ),
  upload_unknown: problem(
    'not_found',
    () => 'This upload address does not work',
    () => 'It works once, for five minutes; request another upload of the large segment',
  ),

  // people
  user_not_found: notFound('user', 'Users are found by id; GET /users lists them'),
  user_email_taken: problem<{ email: string }>('conflict', (p) => `User ${p.email} already exists`),
  user_invalid: invalid(),
  password_weak: invalid(),
  password_wrong: problem('invalid', () => 'Current password is incorrect'),
  second_factor_required: problem(
    'forbidden',
    () => 'This server requires a second factor; set one up first',
    () => 'Sign in to the web interface, which asks you to. API keys are not affected',
  ),
  second_factor_first: problem('invalid', () => 'Set up your own second factor before you require one for everyone'),
  two_factor_on: problem('invalid', () => 'Two-factor authentication is already on; turn it off first'),
  two_factor_code_wrong: problem('invalid', () => 'The code is incorrect; wait for the next one and try again'),
  two_factor_not_offered: problem('invalid', () => 'Request a secret first, then confirm it with a code'),
  invitation_not_found: problem(
    'not_found',
    () => 'This invitation has expired or was already used; ask for a new one',
  ),
  invitation_not_pending: problem('invalid', () => 'Only a PENDING user can be invited again'),
  reset_not_found: problem(
    'not_found',
    () => 'This password reset link has expired or was already used; request a new one',
  ),
  session_not_found: notFound('session'),
  setup_done: problem('invalid', () => 'There is already an administrator: sign in, or ask to be invited'),
  setup_refused: problem(
    'not_found',
    () => 'This setup link is wrong or was already used',
    () => `To print the right one, run: ${commandLine('setup-link')}`,
  ),
  two_factor_not_enabled_here: problem('invalid', () => 'Two-factor authentication cannot be enabled through the API'),
  status_change_refused: problem<{ from: string; to: string }>(
    'invalid',
    (p) => `The status of a user cannot change from ${p.from} to ${p.to}`,
  ),
  pending_email_fixed: problem(
    'invalid',
    () => 'The email of a PENDING user cannot be changed; delete the user and invite the other address',
  ),
  last_administrator: problem('invalid', () => 'The last active administrator cannot be deactivated or removed'),
  administrator_protected: problem(
    'forbidden',
    () => 'Only administrators, and keys with all permissions, can invite, change or delete an administrator',
  ),
  active_user_not_deletable: problem(
    'invalid',
    () => 'Active users cannot be deleted from your org. You can use a PUT request to deactivate the user',
  ),
  deactivated_user_not_deletable: problem('invalid', () => 'Deactivated users cannot be deleted from your org'),
  group_not_found: notFound('group', 'Groups are found by id; GET /groups lists them'),
  group_name_taken: taken('Group'),
  group_invalid: invalid(),
  owner_of_many_flags: problem<{ name: string; max: number }>(
    'invalid',
    (p) => `${p.name} owns more than ${p.max} flags`,
    () => 'They are changed in one transaction: give some of them other owners first',
  ),
  group_protected: problem('invalid', () => 'The Administrators group cannot be renamed or deleted'),

  // keys
  api_key_not_found: notFound(
    'API key',
    'Keys are found by id or by the key itself; GET /apiKeys lists them. It may have been revoked already',
  ),
  api_key_invalid: invalid(),

  // imports
  import_not_found: notFound('import', 'Imports are found by id; `latest` names the one that was started last'),
  import_invalid: invalid(),
  import_running: problem(
    'conflict',
    () => 'Another import is running',
    () => 'One runs at a time. GET /imports/latest shows it, and DELETE stops it',
  ),

  // the server
  busy: problem<{ seconds: number }>(
    'unavailable',
    (p) => `Too many people are signing in at once; try again in ${p.seconds} seconds`,
  ),
  too_many_large_responses: problem<{ seconds: number }>(
    'unavailable',
    (p) => `Too many large responses are being sent at once; try again in ${p.seconds} seconds`,
  ),
  too_many_waiting: problem<{ seconds: number }>(
    'unavailable',
    (p) => `Too many requests like this one are waiting; try again in ${p.seconds} seconds`,
  ),
  internal: problem('internal', () => 'Internal error'),
  unavailable: problem<{ seconds: number }>('unavailable', () => 'The database is not available; try again shortly'),
} as const;

export type ProblemCode = keyof typeof problems;
type FactsOf<Code extends ProblemCode> = Parameters<(typeof problems)[Code]['sentence']>[0];
type Facts<Code extends ProblemCode> =
  FactsOf<Code> extends undefined
    ? []
    : undefined extends FactsOf<Code>
      ? [facts?: FactsOf<Code>]
      : [facts: FactsOf<Code>];

/** A refusal. Its code determines the facts; wrong or missing facts do not compile. */
export class Problem<Code extends ProblemCode = ProblemCode> extends Error {
  readonly code: Code;
  readonly kind: Kind;
  /** Empty if the message says everything. */
  readonly details: string;
  /** After how long a retry makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, ...[facts]: Facts<Code>) {
    const entry = problems[code] as unknown as Entry<unknown>;
    super(brief(entry.sentence(facts)));
    this.name = 'Problem';
    this.code = code;
    this.kind = entry.kind;
    this.details = entry.details(facts);
    this.retryAfterSeconds = (facts as { seconds?: number } | undefined)?.seconds;
  }
}

/** Facts that are lists of sentences. */
const listNames: ReadonlySet<string | symbol> = new Set(['complaints', 'conflicts']);

/** The message of a code with the names of its facts as placeholders, for documents. */
export function sentenceOf(code: ProblemCode): string {
  const names = new Proxy({}, { get: (_, name) => (listNames.has(name) ? ['{what is wrong}'] : `{${String(name)}}`) });
  return (problems[code] as unknown as Entry<unknown>).sentence(names);
}

type ComplaintCode = {
  [C in ProblemCode]: FactsOf<C> extends { complaints: readonly string[] } ? C : never;
}[ProblemCode];

/** A body can have a million errors; nobody reads more than these. */
export const maxComplaints = 50;

/** Throws the problem if there are complaints. */
export function refuse<Code extends ComplaintCode>(code: Code, complaints: readonly string[]): void {
  if (complaints.length === 0) return;
  const rest = complaints.length - maxComplaints;
  const shown = rest > 0 ? [...complaints.slice(0, maxComplaints), `and ${rest} more`] : complaints;
  throw new Problem(code, ...([{ complaints: shown }] as unknown as Facts<Code>));
}

const sendKey = 'Send an admin key as "Authorization: Bearer <key>" or as "x-api-key: <key>"';
const keyTroubles = {
  none: `No key was sent. ${sendKey}`,
  malformed: 'The Authorization header must be "Bearer <key>"',
  sdk: 'This is an SDK key; the Admin API needs a key of type admin',
  expired: 'The key has expired. An administrator can create another one, or change when it expires',
  unknown: 'There is no such key: check that it is complete, and that it was not revoked',
};

interface MissingDefinition {
  /** The flag's name or id, as the caller sent it. */
  readonly nameOrId: string;
  readonly project: string;
  readonly environment: string;
  /** `unsaid` for callers who see only one environment and must not learn which flags the project has. */
  readonly missing: 'flag' | 'definition' | 'unsaid';
}

const missingDefinition: Record<MissingDefinition['missing'], (facts: MissingDefinition) => string> = {
  flag: (p) =>
    `There is no flag ${p.nameOrId} in project ${p.project}. Names are case-sensitive; create the flag with POST /splits/ws/<project>/trafficTypes/<traffic type>`,
  definition: (p) =>
    `Flag ${p.nameOrId} has no definition in environment ${p.environment}. Create one with POST /splits/ws/<project>/<flag>/environments/<environment>`,
  unsaid: (p) =>
    `There is no flag ${p.nameOrId} in project ${p.project}, or it has no definition in environment ${p.environment}`,
};

/** Messages quote input; do not send a megabyte of it back. */
const longestSentence = 3_000;
const brief = (sentence: string): string =>
  sentence.length > longestSentence ? `${sentence.slice(0, longestSentence).toWellFormed()}…` : sentence;
