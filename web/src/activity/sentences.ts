/** Audit entries as sentences without a subject: "changed * in @", "signed in". */
import type { Change } from '#domain/changes.ts';
import type { UserStatus } from '#domain/users.ts';
import { isOnlyAccess, requiresApprovals } from './access-changes.ts';

/** `*` is the object, `@` the environment. */
const sentences: Readonly<Record<string, string>> = {
  'account.created': 'set up this server',
  'account.setup_offered': 'printed the setup link',
  'account.settings_changed': 'changed how people sign in',
  'account.mail_tested': 'sent a test mail',
  'workspace.created': 'created the project *',
  'workspace.patched': 'changed the project *',
  'workspace.cleanup_changed': 'changed when flags of * count as finished',
  'workspace.code_reported': 'reported where code names flags of *',
  'workspace.deleted': 'deleted the project *',
  'environment.created': 'created the environment *',
  'environment.patched': 'changed the environment *',
  'environment.moved': 'moved the environment * in the order',
  'environment.deleted': 'deleted the environment *',
  'trafficType.created': 'created the traffic type *',
  'trafficType.deleted': 'deleted the traffic type *',
  'attribute.created': 'created the attribute *',
  'attribute.replaced': 'replaced the attribute *',
  'attribute.patched': 'changed the attribute *',
  'attribute.deleted': 'deleted the attribute *',
  'identity.created': 'created the identity * in @',
  'identity.replaced': 'replaced the identity * in @',
  'identity.patched': 'changed the identity * in @',
  'identity.deleted': 'deleted the identity * in @',
  'import.started': 'started an import from *',
  'import.stopped': 'stopped an import',
  'flag_set.created': 'created the flag set *',
  'flag_set.deleted': 'deleted the flag set *',
  'view.created': 'shared the view *',
  'view.changed': 'changed the shared view *',
  'view.deleted': 'deleted the shared view *',
  'changeset.created': 'drafted the changeset *',
  'changeset.changed': 'edited the changeset *',
  'changeset.withdrawn': 'withdrew the changeset *',
  'changeset.published': 'applied the changeset *',
  'changeset.requested': 'asked for approval of the changeset *',
  'changeset.approved': 'approved the changeset *',
  'changeset.asked': 'asked for changes to the changeset *',
  'changeset.rejected': 'rejected the changeset *',
  'changeset.commented': 'commented on the changeset *',
  'changeset.expired': 'let the changeset * expire',
  'changeset.scheduled': 'scheduled the changeset *',
  'changeset.advanced': 'applied the next step of the changeset *',
  'changeset.paused': 'paused the changeset *',
  'changeset.resumed': 'resumed the changeset *',
  'changeset.skipped': 'skipped the wait of the changeset *',
  'changeset.aborted': 'aborted the schedule of the changeset *',
  'changeset.failed': 'could not continue the changeset *',
  'segment.created': 'created the segment *',
  'segment.patched': 'changed the details of the segment *',
  'segment.tagged': 'tagged the segment *',
  'segment.deleted': 'deleted the segment *',
  'segment.undeleted': 'restored the deleted segment *',
  'segment.activated': 'activated the segment * in @',
  'segment.deactivated': 'deactivated the segment * in @',
  'segment.changed': 'changed the rules of the segment * in @',
  'segment.keys_added': 'added keys to the segment * in @',
  'segment.keys_replaced': 'replaced the keys of the segment * in @',
  'segment.keys_removed': 'removed keys from the segment * in @',
  'segment.upload_requested': 'requested an upload to the segment * in @',
  'segment.keys_uploaded': 'replaced the keys of the segment * in @ with a file',
  'segment.keys_archived': 'removed all keys of the segment * in @',
  'restriction.replaced': 'changed access to the project *',
  'rollout_status.created': 'added the rollout status *',
  'rollout_status.changed': 'changed the rollout status *',
  'rollout_status.moved': 'moved the rollout status *',
  'rollout_status.deleted': 'deleted the rollout status *',
  'flag.created': 'created *',
  'flag.patched': 'changed the details of *',
  'flag.described': 'changed the description of *',
  'flag.tagged': 'tagged *',
  'flag.deleted': 'deleted *',
  'flag.archived': 'archived *',
  'flag.unarchived': 'unarchived *',
  'flag.kept': 'kept *',
  'flag.unkept': 'stopped keeping *',
  'flag.undeleted': 'restored the deleted flag *',
  'definition.created': 'defined * in @',
  'definition.patched': 'changed * in @',
  'definition.replaced': 'replaced the definition of * in @',
  'definition.killed': 'killed * in @',
  'definition.restored': 'restored * in @',
  'definition.deleted': 'removed * from @',
  'definition.undeleted': 'restored the deleted definition of * in @',
  'user.added': 'added *',
  'user.invited': 'invited *',
  'user.invited_again': 'invited * again',
  'user.accepted': 'accepted the invitation',
  'user.set_up': 'became the first administrator',
  'user.deleted': 'withdrew the invitation for *',
  'user.password_changed': 'changed the password',
  'user.password_reset': 'reset the password with an emailed link',
  'user.password_reset_requested': 'requested a password reset for *',
  'user.two_factor_offered': 'started setting up the second factor',
  'user.two_factor_enabled': 'turned on the second factor',
  'user.two_factor_disabled': 'turned off the second factor',
  'session.started': 'signed in',
  'session.ended': 'ended a session',
  'session.refused': 'failed to sign in as *',
  'session.code_required': 'entered the password for * but no code',
  'group.created': 'created the group *',
  'group.replaced': 'changed the group *',
  'group.deleted': 'deleted the group *',
  'api_key.created': 'created the API key *',
  'api_key.changed': 'changed the API key *',
  'api_key.revoked': 'revoked the API key *',
};

type SentencePart = { readonly words: string } | 'object' | 'environment';

/** The sentence in parts, so that the object can be a link and the environment a chip. */
export const sentenceOf = (change: Change): SentencePart[] =>
  templateOf(change)
    .split(/([*@])/)
    .filter((part) => part !== '')
    .map((part) => (part === '*' ? 'object' : part === '@' ? 'environment' : { words: part }));

function templateOf(change: Change): string {
  const { auditLogType, object } = change;
  if (auditLogType === 'user.patched' || auditLogType === 'user.replaced') return userTemplate(change);
  if (auditLogType === 'environment.patched' && isOnlyAccess(change.before, change.after)) {
    const [was, is] = [change.before, change.after].map(requiresApprovals);
    if (was === is) return 'changed access to the environment *';
    return is ? 'required approvals in the environment *' : 'stopped requiring approvals in the environment *';
  }
  return sentences[auditLogType] ?? `${auditLogType.split('.')[1]?.replaceAll('_', ' ')} ${object.type} *`;
}

interface UserFacts {
  readonly status?: UserStatus;
  readonly '2fa'?: boolean;
  readonly groups?: unknown;
}

/** "Changed a user" says little, so name the field. */
function userTemplate({ before, after }: Change): string {
  const [old, now] = [before as UserFacts | undefined, after as UserFacts | undefined];
  if (old?.status !== now?.status) return now?.status === 'ACTIVE' ? 'activated *' : 'deactivated *';
  if (old?.['2fa'] && !now?.['2fa']) return 'turned off the second factor for *';
  if (JSON.stringify(old?.groups) !== JSON.stringify(now?.groups)) return 'changed the groups of *';
  return 'changed *';
}
