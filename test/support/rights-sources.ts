// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of sources
/** The rules about who is on which list: the text of each in the sources, and the text without the rule. */
import type { WrittenMutation } from './isolation-sources.ts';

type Rule = readonly [from: string, to: string];

const rules: Readonly<Record<string, readonly Rule[]>> = {
  'src/domain/rights.ts': [
    ["'flag.write': 'edit'", "'flag.write': 'view'"],
    ["'definition.write': 'define'", "'definition.write': 'edit'"],
    ["'segment.write': 'edit'", "'segment.write': 'view'"],
    ["'segmentContent.write': 'define'", "'segmentContent.write': 'edit'"],
    ["'definition.kill': 'kill'", "'definition.kill': 'define'"],
    ["'definition.kill': 'kill'", "'definition.kill': 'view'"],
    ['const isFree = mayGrant || owns;', 'const isFree = mayGrant;'],
    ["const view = mayGrant || standing.view !== 'unlisted';", 'const view = true;'],
    ["const edit = view && (isFree || standing.edit !== 'unlisted');", 'const edit = view;'],
    ['const edit = view && (isFree || ', 'const edit = view && ('],
    ['const define = edit && (', 'const define = view && ('],
    ["const define = edit && (isFree || standing.define !== 'unlisted');", 'const define = edit;'],
    ['const define = edit && (isFree || ', 'const define = edit && ('],
    ["(define || standing.kill === 'listed')", 'define'],
    ["(define || standing.kill === 'listed')", "(edit || standing.kill === 'listed')"],
    ["(define || standing.kill === 'listed')", "standing.kill === 'listed'"],
    ["const kill = view && (define || standing.kill === 'listed');", 'const kill = view;'],
  ],
  'src/store/rights.ts': [
    ['where g.environment_id = e.id and g.operation', 'where g.operation'],
    ['g.operation = ${operation}', 'g.operation <> ${operation}'],
    ['g.operation = ${operation}', "g.operation <> '' and ${operation} <> ''"],
    ['where t.project_id = p.id', "where t.project_id <> ''"],
    ['(p.owners_can_edit and ${owns(who, sql`${flagId}`)})', '${owns(who, sql`${flagId}`)}'],
    ['where f.id = ${flagId}', "where f.id <> '' and ${flagId} <> ''"],
    ["f.owners like '%\"' || ${id} || '\"%'", "${id} <> '' and f.owners like '%'"],
    ["f.owners like '%\"' || ${id} || '\"%'", "${id} <> '' and f.owners = ''"],
    ['where m.user_id = ${id} and f.owners like', 'where m.user_id <> ${id} and f.owners like'],
    ['sees ?? standing(row.is_restricted', 'standing(row.is_restricted'],
    ['standing(row.is_edit_restricted, row.is_editor)', "'open'"],
    ['standing(row.are_editors_restricted, row.is_definer)', "'open'"],
    ["row.is_killer ? 'listed' : 'unlisted'", "'unlisted'"],
  ],
  'src/store/scope-filter.ts': [
    ['where v.project_id = p.id', "where v.project_id <> ''"],
    ['l.type = ${type} and l.id = ${id}', 'l.type = ${type} and l.id <> ${id}'],
    ["where m.user_id = ${id} and l.type = 'group'", "where m.user_id <> ${id} and l.type = 'group'"],
  ],
  'src/commands/actors.ts': [
    ['await requireGranted(db, actor, grant);', ''],
    ["if (right === 'view' || mayGrant(actor)) {", "if (right === 'view') {"],
    ['if (!all[0]?.rights.view) throw notFound();', ''],
    ['if (missing) throw', 'if (missing && !missing.rights) throw'],
    [
      'const missing = all.find(({ rights }) => !rights[right]);',
      'const missing = all[0]?.rights[right] ? undefined : all[0];',
    ],
  ],
  'src/commands/flags.ts': [
    [
      "it takes the right to edit each of them.\n  await requireRight(tx, tx.actor, { right: environments.length > 0 ? 'define' : 'edit'",
      "it takes the right to edit each of them.\n  await requireRight(tx, tx.actor, { right: 'edit'",
    ],
  ],
  'src/http/pipeline/admit.ts': [["rightNeeded[access.needs] !== 'view'", 'false']],
};

export const ofLists: readonly WrittenMutation[] = Object.entries(rules).flatMap(([file, listed]) =>
  listed.map(([from, to]) => ({ file, from, to })),
);
