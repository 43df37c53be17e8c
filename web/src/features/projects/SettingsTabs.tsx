import { useProject } from '../../server/project.ts';
import { TabLink, TabLinks } from '../../ui/Tabs.tsx';

/** The pages of the project settings. */
export function SettingsTabs() {
  const params = { project: useProject().name };
  return (
    <TabLinks label="Project settings">
      <TabLink to="/p/$project/settings" params={params} activeOptions={{ exact: true }}>
        General
      </TabLink>
      <TabLink to="/p/$project/settings/access" params={params}>
        Access
      </TabLink>
      <TabLink to="/p/$project/settings/flag-sets" params={params}>
        Flag sets
      </TabLink>
      <TabLink to="/p/$project/settings/attributes" params={params}>
        Attributes
      </TabLink>
    </TabLinks>
  );
}
