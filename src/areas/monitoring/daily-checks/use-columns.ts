import { useState } from 'react';
import type { UserId } from '#contract/ids.ts';
import { door, useWatch } from '#src/door.ts';
import { keep, kept } from '#src/kept.ts';
import { columnsOf } from './columns.ts';
import type { Column } from './columns.ts';

/** Columns and density of one person, the same on every device. Until the device has them, this browser's own hold. */
export interface ColumnChoice {
  readonly columns: readonly Column[];
  readonly dense: boolean;
  readonly setColumns: (columns: readonly Column[]) => void;
  readonly setDense: (dense: boolean) => void;
}

const NOTHING = {};
/** A dragged edge moves many times; what it comes to is sent once it rests. */
const RESTS_MS = 600;

export function useColumns(me: UserId): ColumnChoice {
  const preferences = useWatch('preferences', NOTHING);
  const stored = (name: 'columns' | 'density'): string | null => preferences?.find((one) => one.user === me && one.name === name)?.value ?? null;
  const [own, setOwn] = useState<{ readonly columns: string | null; readonly density: string | null }>({ columns: null, density: null });
  const [sending] = useState(() => new Map<string, ReturnType<typeof setTimeout>>());
  const place = (name: string): string => `${name}.${me}`;
  const columns = own.columns ?? stored('columns') ?? kept(place('columns'));
  const density = own.density ?? stored('density') ?? kept(place('density'));
  const choose = (name: 'columns' | 'density', value: string): void => {
    setOwn((before) => ({ ...before, [name]: value }));
    keep(place(name), value);
    clearTimeout(sending.get(name));
    sending.set(name, setTimeout(() => {
      void door().send('prefer', { id: me, name, value }).then(() => setOwn((before) => (before[name] === value ? { ...before, [name]: null } : before)));
    }, RESTS_MS));
  };
  return {
    columns: columnsOf(columns), dense: density === DENSE,
    setColumns: (next) => choose('columns', JSON.stringify(next)), setDense: (dense) => choose('density', dense ? DENSE : ROOMY),
  };
}

const DENSE = JSON.stringify('dense'), ROOMY = JSON.stringify('roomy');
