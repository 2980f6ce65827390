import type { OutputOf } from '#contract/calls.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { compareMessages as t } from './messages.en.ts';

export type ShownState = OutputOf<'compareWithProduction'>['state'];
export type ShownProperty = OutputOf<'compareWithProduction'>['properties'][number]['name'];

const MARKS: Readonly<
  Record<ShownState, { readonly icon: IconName; readonly label: string; readonly tone: string }>
> = {
  same: { icon: 'check', label: t.same, tone: 'text-success' },
  changed: { icon: 'note', label: t.changed, tone: 'text-warning' },
  moved: { icon: 'folder', label: t.moved, tone: 'text-warning' },
  deleted: { icon: 'trash', label: t.deleted, tone: 'text-failed' },
};

/** What became of an item in production: an icon, a word and a color. */
export function ProductionMark({ state }: { readonly state: ShownState }) {
  const { icon, label, tone } = MARKS[state];
  return (
    <span className={`inline-flex items-center gap-1.5 font-semibold ${tone}`}>
      <Icon name={icon} size={14} />
      {label}
    </span>
  );
}

/** Files and rows have names, and people who changed them last. */
export const isFileOrRow = (kind: string): boolean => kind === 'file' || kind === 'row';

/** What a property is called. `isFile`: of a file or row, other people and dates are meant. */
export function getPropertyLabel(name: ShownProperty, isFile: boolean): string {
  switch (name) {
    case 'name':
      return isFile ? t.name : t.subject;
    case 'people':
      return isFile ? t.author : t.people;
    case 'changed':
      return t.modified;
    default:
      return t[name];
  }
}
