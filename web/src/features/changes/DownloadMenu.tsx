import { Download } from 'lucide-react';
import { downloadChanges } from '#contract/changes.ts';
import type { ChangeFilter } from '../../activity/changes-query.ts';
import { urlOf } from '../../server/api.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';

const formats = { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, with all details' } as const;

/** Downloads what the list shows, all of it. */
export const DownloadMenu = ({ filter }: { readonly filter: ChangeFilter }) => (
  <Menu
    label="Download"
    trigger={(trigger) => (
      <Button {...trigger}>
        <Download size={14} aria-hidden /> Download
      </Button>
    )}
  >
    {Object.entries(formats).map(([format, name]) => (
      <MenuItem
        key={format}
        // The response is an attachment, so the page stays.
        onSelect={() => location.assign(urlOf(downloadChanges, { query: { ...filter, format } }))}
      >
        {name}
      </MenuItem>
    ))}
  </Menu>
);
