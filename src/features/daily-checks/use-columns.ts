import { useEffect, useEffectEvent, useState } from 'react';
import type { UserId } from '#contract/ids.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { writeStored, readStored } from '#src/app/session/browser-storage.ts';
import { parseColumns } from '../shared/runs/columns.ts';
import type { Column } from '../shared/runs/columns.ts';

/**
 * The user's columns and density, the same on every device. Until they are synced, this browser's
 * stored choice applies.
 */
export interface ColumnChoice {
  readonly columns: readonly Column[];
  readonly dense: boolean;
  readonly setColumns: (columns: readonly Column[]) => void;
  readonly setDense: (dense: boolean) => void;
}

const EMPTY = {};
/**
 * Dragging an edge changes the width many times. Only the final value is sent; if the page is left
 * earlier, the next page sends it.
 */
const RESTS_MS = 600;
const NAMES = ['columns', 'density'] as const;
type Name = (typeof NAMES)[number];

export function useColumns(me: UserId): ColumnChoice {
  const preferences = useWatch('preferences', EMPTY);
  const stored = (name: Name): string | null =>
    preferences?.find((one) => one.user === me && one.name === name)?.value ?? null;
  const place = (name: Name): string => `${name}.${me}`;
  const unsent = (name: Name): string => `${place(name)}.unsent`;
  const [own, setOwn] = useState<{
    readonly columns: string | null;
    readonly density: string | null;
  }>(() => ({ columns: readStored(unsent('columns')), density: readStored(unsent('density')) }));
  const [sending] = useState(() => new Map<string, ReturnType<typeof setTimeout>>());
  const columns = own.columns ?? stored('columns') ?? readStored(place('columns'));
  const density = own.density ?? stored('density') ?? readStored(place('density'));
  const send = async (name: Name, value: string): Promise<void> => {
    await client().send('prefer', { id: me, name, value });
    if (readStored(unsent(name)) === value) writeStored(unsent(name), null);
    setOwn((before) => (before[name] === value ? { ...before, [name]: null } : before));
  };
  const choose = (name: Name, value: string): void => {
    setOwn((before) => ({ ...before, [name]: value }));
    writeStored(place(name), value);
    writeStored(unsent(name), value);
    clearTimeout(sending.get(name));
    sending.set(
      name,
      setTimeout(() => void send(name, value), RESTS_MS),
    );
  };
  const begin = useEffectEvent(() =>
    NAMES.forEach((name) => {
      const value = readStored(unsent(name));
      if (value !== null) void send(name, value);
    }),
  );
  useEffect(() => begin(), []);
  return {
    columns: parseColumns(columns),
    dense: density === DENSE,
    setColumns: (next) => choose('columns', JSON.stringify(next)),
    setDense: (dense) => choose('density', dense ? DENSE : ROOMY),
  };
}

const DENSE = JSON.stringify('dense');
const ROOMY = JSON.stringify('roomy');
