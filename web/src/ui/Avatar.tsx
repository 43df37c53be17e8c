import styles from './Avatar.module.css';

interface Props {
  readonly name: string;
  readonly size?: 'small' | 'large';
  /** Without the name beside it, it has to say it. */
  readonly isAlone?: boolean;
}

/** Initials next to a name. */
export const Avatar = ({ name, size = 'small', isAlone = false }: Props) => (
  <span
    className={`${styles.avatar} ${styles[size]}`}
    data-tint={tintOf(name)}
    {...(isAlone ? { role: 'img', 'aria-label': name, title: name } : { 'aria-hidden': true })}
  >
    {initialsOf(name)}
  </span>
);

const tints = 6;

/** The same for the same name, so that lists get a rhythm. */
function tintOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return (sum % tints) + 1;
}

const initialsOf = (name: string): string => {
  const words = name.split(/[\s.]+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
};
