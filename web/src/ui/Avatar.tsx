import styles from './Avatar.module.css';

interface Props {
  readonly name: string;
  readonly size?: 'small' | 'large';
}

/** Initials next to a name. */
export const Avatar = ({ name, size = 'small' }: Props) => (
  <span className={`${styles.avatar} ${styles[size]}`} aria-hidden>
    {initialsOf(name)}
  </span>
);

const initialsOf = (name: string): string => {
  const words = name.split(/[\s.]+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
};
