import type { ReactNode } from 'react';
import { type Creation, type Option, OptionList } from './OptionList.tsx';
import { Popover, type TriggerProps } from './Popover.tsx';

interface Common {
  /** The label: "Rollout status". */
  readonly label: string;
  readonly options: readonly Option[];
  readonly trigger: (props: TriggerProps) => ReactNode;
  /** Called with the typed text if the server filters the options. */
  readonly onSearch?: ((text: string) => void) | undefined;
  /** Allows creating a missing option: "Create tag x". */
  readonly create?: Creation | undefined;
  /** The server found more options than these. */
  readonly isCut?: boolean | undefined;
  readonly align?: 'start' | 'end' | undefined;
}

interface SingleProps extends Common {
  readonly selected?: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** Selects one option, then closes. */
export const Picker = ({ label, trigger, align, selected, onChoose, create, ...list }: SingleProps) => (
  <Popover trigger={trigger} label={label} align={align}>
    {(close) => (
      <OptionList
        {...list}
        create={
          create && {
            ...create,
            make: (text) => {
              close();
              create.make(text);
            },
          }
        }
        label={label}
        selected={selected === undefined ? undefined : new Set([selected])}
        onChoose={({ id }) => {
          close();
          onChoose(id);
        }}
      />
    )}
  </Popover>
);

interface ManyProps extends Common {
  readonly selected: readonly string[];
  readonly onChange: (ids: string[]) => void;
}

/** Selects any number of options. Each click toggles one immediately. Stays open. */
export const MultiPicker = ({ label, trigger, align, selected, onChange, ...list }: ManyProps) => (
  <Popover trigger={trigger} label={label} align={align}>
    {() => (
      <OptionList
        {...list}
        label={label}
        selected={new Set(selected)}
        onChoose={({ id }) => onChange(toggled(selected, id))}
        onKeyDown={({ key }, text) => {
          if (key === 'Backspace' && text === '' && selected.length > 0) onChange(selected.slice(0, -1));
        }}
      />
    )}
  </Popover>
);

const toggled = (ids: readonly string[], id: string): string[] =>
  ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id];
