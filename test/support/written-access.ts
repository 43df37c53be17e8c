/** Who may do what, written a second time: tests compare the code with this. */

/** Every endpoint with its permission and scope. Changing a line changes who may do what. */
export const ways = `
GET /health probe
GET /ready probe
PUT /internal/uploads/:token public
GET /workspaces project.read environment
POST /workspaces project.create account
POST /workspaces/:project/copy project.create account
PATCH /workspaces/:project project.write project
DELETE /workspaces/:project project.write project
GET /environments/ws/:project project.read environment
POST /environments/ws/:project environment.write project
PATCH /environments/ws/:project/:environment environment.write project
POST /environments/ws/:project/:environment/move environment.write project
DELETE /environments/ws/:project/:environment environment.write project
GET /environments/ws/:project/:environment/sdks definition.read environment
POST /imports import.write account
GET /imports/:import import.write account
DELETE /imports/:import import.write account
GET /server server.write account
PUT /server/settings server.write account
POST /server/mail-test server.write account
GET /splits/ws/:project/:flag/environments/:environment/traffic definition.read environment
GET /splits/ws/:project/:flag/environments/:environment/impressions definition.read environment
GET /traffic/ws/:project flag.read project
GET /environments/ws/:project/:environment/events definition.read environment
GET /environments/ws/:project/:environment/keys definition.read environment
GET /environments/ws/:project/:environment/convergence definition.read environment
GET /trafficTypes/ws/:project project.read environment
POST /trafficTypes/ws/:project trafficType.write project
DELETE /trafficTypes/:trafficTypeId trafficType.write project
GET /schema/ws/:project/trafficTypes/:trafficType project.read environment
POST /schema/ws/:project/trafficTypes/:trafficType trafficType.write project
PUT /schema/ws/:project/trafficTypes/:trafficType trafficType.write project
POST /schema/ws/:project/trafficTypes/:trafficType/attribute:bulk trafficType.write project
PATCH /schema/ws/:project/trafficTypes/:trafficType/:attribute trafficType.write project
DELETE /schema/ws/:project/trafficTypes/:trafficType/:attribute trafficType.write project
GET /trafficTypes/:trafficType/environments/:environment/identities identity.read environment
GET /trafficTypes/:trafficType/environments/:environment/identities/:identity identity.read environment
POST /trafficTypes/:trafficType/environments/:environment/identities identity.write environment
PUT /trafficTypes/:trafficType/environments/:environment/identities/:identity identity.write environment
PATCH /trafficTypes/:trafficType/environments/:environment/identities identity.write environment
PATCH /trafficTypes/:trafficType/environments/:environment/identities/:identity identity.write environment
POST /trafficTypes/:trafficType/environments/:environment/identities/:identity/patch identity.write environment
DELETE /trafficTypes/:trafficType/environments/:environment/identities/:identity identity.write environment
GET /large-segments/ws/:project segment.read project
GET /large-segments/ws/:project/:largeSegment segment.read project
POST /large-segments/ws/:project/trafficTypes/:trafficType segment.write project
DELETE /large-segments/ws/:project/:largeSegment segment.write project
GET /large-segments/ws/:project/environments/:environment segment.read environment
POST /large-segments/:environment/:largeSegment segmentContent.write environment
DELETE /large-segments/:environment/:largeSegment segmentContent.write environment
GET /large-segments/:environment/:largeSegment/keys segment.read environment
GET /large-segments/:environment/:largeSegment/uploads segment.read environment
POST /changeRequests/ws/:project/environments/:environment changeset.write environment
POST /changeRequests/ws/:project/environments/:environment/file changeset.write environment
GET /changeRequests changeset.read environment
GET /changeRequests/:changeRequest changeset.read environment
PUT /changeRequests/:changeRequest changeset.write environment
GET /rolloutStatuses rolloutStatus.read environment
GET /rolloutStatuses/ws/:project rolloutStatus.read environment
POST /rolloutStatuses/ws/:project project.write project
PUT /rolloutStatuses/ws/:project/:rolloutStatus project.write project
POST /rolloutStatuses/ws/:project/:rolloutStatus/move project.write project
DELETE /rolloutStatuses/ws/:project/:rolloutStatus project.write project
GET /splits/ws/:project flag.read project
GET /flag-counts/ws/:project flag.read project
GET /flag-drift/ws/:project flag.read project
POST /splits/ws/:project/trafficTypes/:trafficType flag.write project
GET /splits/ws/:project/:flag flag.read project
GET /splits/ws/:project/:flag/dependents definition.read project
PATCH /splits/ws/:project/:flag flag.write project
DELETE /splits/ws/:project/:flag flag.write project
POST /splits/ws/:project/:flag/duplicate flag.write project
POST /splits/ws/:project/:flag/archive flag.write project
POST /splits/ws/:project/:flag/unarchive flag.write project
GET /cleanup/ws/:project flag.read project
PUT /cleanup/ws/:project/policy project.write project
PUT /splits/ws/:project/:flag/keep flag.write project
DELETE /splits/ws/:project/:flag/keep flag.write project
PUT /code-references/ws/:project flag.write project
GET /splits/ws/:project/:flag/code-references flag.read project
POST /splits/ws/:project/deleted/:deletedFlag/restore flag.write project
PUT /splits/ws/:project/:flag/updateDescription flag.write project
POST /tags/ws/:project/object/:flag/objecttype/:objectType flag.write project
GET /splits/ws/:project/environments/:environment definition.read environment
GET /splits/ws/:project/:flag/environments/:environment definition.read environment
GET /splits/ws/:project/:flag/environments/:environment/rollout audit.read environment
POST /splits/ws/:project/:flag/environments/:environment definition.write environment
POST /splits/ws/:project/:flag/environments/:environment/undelete definition.write environment
PUT /splits/ws/:project/:flag/environments/:environment definition.write environment
PATCH /splits/ws/:project/:flag/environments/:environment definition.write environment
DELETE /splits/ws/:project/:flag/environments/:environment definition.write environment
PUT /splits/ws/:project/:flag/environments/:environment/kill definition.kill environment
POST /splits/ws/:project/:flag/environments/:environment/kill definition.kill environment
PUT /splits/ws/:project/:flag/environments/:environment/restore definition.kill environment
POST /splits/ws/:project/:flag/environments/:environment/restore definition.kill environment
GET /flag-sets flag.read project
POST /flag-sets flag.write project
GET /flag-sets/:flagSet flag.read project
GET /flag-sets/:flagSet/flags definition.read project
DELETE /flag-sets/:flagSet flag.write project
GET /views/ws/:project flag.read project
PUT /views/ws/:project/shared/:view flag.write project
DELETE /views/ws/:project/shared/:view flag.write project
PUT /views/ws/:project/own/:view flag.read project
DELETE /views/ws/:project/own/:view flag.read project
GET /segments/ws/:project segment.read project
POST /segments/ws/:project/trafficTypes/:trafficType segment.write project
GET /segments/ws/:project/:segment segment.read project
DELETE /segments/ws/:project/:segment segment.write project
POST /segments/ws/:project/deleted/:deletedSegment/restore segment.write project
GET /segments/ws/:project/:anySegment/dependents segment.read project
PUT /segments/ws/:project/:anySegment/details segment.write project
POST /tags/ws/:project/object/:segment/objecttype/Segment segment.write project
POST /tags/ws/:project/object/:largeSegment/objecttype/LargeSegment segment.write project
POST /tags/ws/:project/object/:ruleBasedSegment/objecttype/RuleBasedSegment segment.write project
GET /segments/ws/:project/environments/:environment segment.read environment
GET /segments/ws/:project/environments/:environment/memberships segment.read environment
POST /segments/:environment/:segment segmentContent.write environment
DELETE /segments/:environment/:segment segmentContent.write environment
GET /segments/:environment/:segment/keys segment.read environment
GET /segments/:environment/:segment/keyChanges segment.read environment
PUT /segments/:environment/:segment/uploadKeys segmentContent.write environment
PUT /segments/:environment/:segment/upload segmentContent.write environment
PUT /segments/:environment/:segment/removeKeys segmentContent.write environment
PUT /segments/:environment/:segment/deleteKeys segmentContent.write environment
GET /rule-based-segments/ws/:project segment.read project
POST /rule-based-segments/ws/:project/trafficTypes/:trafficType segment.write project
GET /rule-based-segments/ws/:project/:ruleBasedSegment segment.read project
DELETE /rule-based-segments/ws/:project/:ruleBasedSegment segment.write project
GET /rule-based-segments/ws/:project/environments/:environment segment.read environment
POST /rule-based-segments/:environment/:ruleBasedSegment segmentContent.write environment
DELETE /rule-based-segments/:environment/:ruleBasedSegment segmentContent.write environment
GET /rule-based-segments/ws/:project/:ruleBasedSegment/environments/:environment segment.read environment
PUT /rule-based-segments/ws/:project/:ruleBasedSegment/environments/:environment segmentContent.write environment
POST /changesets changeset.write environment
GET /changesets changeset.read environment
GET /changesets/:changeset changeset.read environment
GET /changesets/:changeset/plan changeset.read environment
PUT /changesets/:changeset changeset.write environment
DELETE /changesets/:changeset changeset.write environment
POST /changesets/:changeset/request changeset.write environment
POST /changesets/:changeset/approve changeset.write environment
POST /changesets/:changeset/reject changeset.write environment
POST /changesets/:changeset/ask changeset.write environment
POST /changesets/:changeset/comments changeset.write environment
POST /changesets/:changeset/apply changeset.write environment
POST /changesets/:changeset/revert changeset.write environment
POST /changesets/:changeset/schedule changeset.write environment
POST /changesets/:changeset/pause changeset.write environment
POST /changesets/:changeset/resume changeset.write environment
POST /changesets/:changeset/skip changeset.write environment
POST /changesets/:changeset/abort changeset.write environment
GET /splits/ws/:project/:flag/environments/:environment/schedules changeset.read environment
GET /users user.read environment
POST /users user.write account
GET /users/:user user.read environment
PUT /users/:user user.write account
PATCH /users/:user user.write account
DELETE /users/:user user.write account
GET /groups group.read environment
POST /groups group.write account
GET /groups/:group group.read environment
PUT /groups/:group group.write account
DELETE /groups/:group group.write account
GET /apiKeys apiKey.read project
GET /apiKeys/:key apiKey.read project
POST /apiKeys apiKey.write project
PUT /apiKeys/:key apiKey.write account
DELETE /apiKeys/:key apiKey.write account
GET /restrictions restriction.write project
PUT /restrictions restriction.write project
GET /workspaces/:project/access project.read project
PUT /workspaces/:project/access restriction.write project
GET /search project.read environment
GET /auditLogs audit.read environment
GET /auditLogs/download audit.read environment
GET /auditLogs/calendar audit.read environment
GET /invitations/:token public
POST /invitations/:token public
POST /users/:user/resend-invitation user.write account
GET /outbox user.write account
POST /session public
GET /session signed-in
DELETE /session signed-in
GET /sessions signed-in
DELETE /sessions/:session signed-in
POST /password signed-in
PUT /name signed-in
GET /reminders signed-in
PUT /reminders signed-in
GET /watches signed-in
PUT /watches/:watchedFlag signed-in
DELETE /watches/:watchedFlag signed-in
POST /password-reset public
POST /password-reset/:token public
GET /password-reset/:token public
POST /2fa signed-in
POST /2fa/confirm signed-in
DELETE /2fa signed-in
GET /setup public
POST /setup public
GET /access user.read project
GET /access/lists project.read project
POST /editing/ws/:project/:flag/environments/:environment definition.read environment
`;

/** The permissions of each role. */
export const powers = {
  API_ALL_GRANTED: '*',
  API_APIKEY: 'project.read apiKey.read apiKey.write',
  API_ADMIN:
    'project.read project.write environment.write trafficType.write identity.read identity.write restriction.write ' +
    'rolloutStatus.read audit.read project.create ' +
    'user.read user.write group.read group.write',
  API_WORKSPACE_ADMIN:
    'project.read project.write environment.write trafficType.write identity.read identity.write restriction.write ' +
    'rolloutStatus.read audit.read',
  API_FEATURE_FLAG_VIEWER: 'project.read rolloutStatus.read flag.read definition.read changeset.read',
  API_FEATURE_FLAG_EDITOR:
    'project.read rolloutStatus.read flag.read definition.read changeset.read flag.write definition.write ' +
    'definition.kill changeset.write',
  API_SEGMENT_VIEWER: 'project.read segment.read changeset.read',
  API_SEGMENT_EDITOR: 'project.read segment.read changeset.read segment.write segmentContent.write changeset.write',
};

/** The permissions of signed-in people who are not administrators. */
export const powersOfMember =
  'project.read identity.read rolloutStatus.read flag.read flag.write definition.read definition.write definition.kill segment.read segment.write segmentContent.write changeset.read changeset.write user.read group.read audit.read';

/** And which right in a project each permission takes, unless its owner may change access. */
export const rightsOfPermissions = `
project.read view
project.create view
project.write edit
environment.write edit
trafficType.write edit
identity.read view
identity.write define
restriction.write view
rolloutStatus.read view
flag.read view
flag.write edit
definition.read view
definition.write define
definition.kill kill
segment.read view
segment.write edit
segmentContent.write define
changeset.read view
changeset.write view
user.read view
user.write view
group.read view
group.write view
apiKey.read view
apiKey.write view
audit.read view
import.write view
server.write view
`;
