import { List, MoreHorizontal, Plus, SquareKanban, Users } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { View } from '#domain/views.ts';
import { useProject } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { TabLink, TabLinks } from '../../ui/Tabs.tsx';
import { ColumnMenu } from './ColumnMenu.tsx';
import { useFlagsSearch } from './flags-query.ts';
import { nothingChosen } from './flags-search.ts';
import styles from './ViewTabs.module.css';
import { isChanged, searchOf } from './views.ts';
import { forgetUnsavedColumns, useColumns, useCurrentView, useViews } from './views-query.ts';

const ViewDialogs = lazy(() => import('./ViewDialogs.tsx').then((module) => ({ default: module.ViewDialogs })));

export type ViewDialog = 'save' | 'save as' | 'delete';

/** The saved views of the list as tabs, and what can be done with the current one. */
export function ViewTabs() {
  const views = useViews();
  const current = useCurrentView();
  const { search } = useFlagsSearch();
  const { choices } = useColumns();
  const [dialog, setDialog] = useState<ViewDialog>();
  const hasChanged = current !== undefined && isChanged(current, search, choices);
  const tab = {
    to: '/p/$project/flags',
    params: { project: useProject().name },
    onClick: forgetUnsavedColumns,
  } as const;
  return (
    <div className={styles.row}>
      <TabLinks label="Views">
        <TabLink {...tab} search={nothingChosen} isCurrent={!current}>
          All
        </TabLink>
        {views.map((view) => (
          <TabLink key={view.id} {...tab} search={searchOf(view)} isCurrent={view.id === current?.id}>
            <ViewName view={view} />
            {hasChanged && view.id === current?.id && <span className={styles.changed} title="Changed" />}
          </TabLink>
        ))}
        <Button
          look="quiet"
          size="icon"
          aria-label="Save as a view"
          title="Save as a view"
          onClick={() => setDialog('save as')}
        >
          <Plus size={15} aria-hidden />
        </Button>
      </TabLinks>
      <div className={styles.tools}>
        {hasChanged && (
          <>
            <span className={styles.note} role="status">
              Changed
            </span>
            <Button onClick={() => setDialog('save')}>Save</Button>
            <Button look="quiet" onClick={() => setDialog('save as')}>
              Save as
            </Button>
          </>
        )}
        {current && (
          <Menu
            label={`View ${current.name}`}
            trigger={(trigger) => (
              <Button {...trigger} look="quiet" size="icon" aria-label={`View ${current.name}`}>
                <MoreHorizontal size={15} aria-hidden />
              </Button>
            )}
          >
            <MenuItem onSelect={() => setDialog('save as')}>Save as</MenuItem>
            <MenuItem look="danger" onSelect={() => setDialog('delete')}>
              Delete view
            </MenuItem>
          </Menu>
        )}
        <LayoutSwitch />
        {!search.board && <ColumnMenu />}
      </div>
      {dialog && (
        <Suspense>
          <ViewDialogs dialog={dialog} view={current} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

function LayoutSwitch() {
  const { search, change } = useFlagsSearch();
  return (
    <fieldset className={styles.switch}>
      <legend className="sr">Layout</legend>
      <button type="button" aria-pressed={!search.board} onClick={() => change({ board: undefined })}>
        <List size={14} aria-hidden /> List
      </button>
      <button type="button" aria-pressed={search.board !== undefined} onClick={() => change({ board: 'true' })}>
        <SquareKanban size={14} aria-hidden /> Board
      </button>
    </fieldset>
  );
}

const ViewName = ({ view: { name, shared } }: { readonly view: View }) => (
  <>
    {name}
    {shared && (
      <span title="Shared with the project">
        <Users size={12} aria-hidden />
        <span className="sr">, shared</span>
      </span>
    )}
  </>
);
