import { expect, test } from 'vitest';
import {
  addNodes,
  countEntries,
  EMPTY_BASKET,
  getDownload,
  getRestores,
  hasNodes,
  parseBasket,
  removeNodes,
} from '#src/features/restore/basket/basket.ts';
import type { Basket, BasketPlace, NamedEntry } from '#src/features/restore/basket/basket.ts';

const ANN: BasketPlace = {
  workload: 'outlook',
  point: 'p1',
  at: 1_000,
  showDeleted: false,
  object: 'o1',
};
const EARLIER: BasketPlace = { ...ANN, point: 'p0', at: 500 };
const BOB: BasketPlace = { ...ANN, workload: 'onedrive', object: 'o2' };
const MAX = 10;
const makeBasket = (...added: readonly (readonly [BasketPlace, ...string[]])[]): Basket =>
  added.reduce<Basket>(
    (basket, [place, ...nodes]) => addNodes(basket, place, nodes, MAX),
    EMPTY_BASKET,
  );
const getNodes = (basket: Basket): readonly (readonly string[])[] =>
  basket.map(({ object, point, nodes }) => [object, point, ...nodes]);

test('RES-84: a basket holds nodes of several objects at several points, each once', () => {
  const basket = makeBasket(
    [ANN, 'i1.1', 'f1.2'],
    [BOB, 'i2.1'],
    [EARLIER, 'i1.1'],
    [ANN, 'i1.1', 'i1.3'],
  );
  expect(getNodes(basket)).toEqual([
    ['o1', 'p1', 'i1.1', 'f1.2', 'i1.3'],
    ['o2', 'p1', 'i2.1'],
    ['o1', 'p0', 'i1.1'],
  ]);
  expect(countEntries(basket)).toBe(5);
  expect(hasNodes(basket, ANN, ['i1.1', 'i1.3'])).toBe(true);
  expect(hasNodes(basket, ANN, ['i1.1', 'i1.4'])).toBe(false);
  expect(hasNodes(basket, BOB, ['i1.1'])).toBe(false);
  expect(hasNodes(basket, { ...ANN, showDeleted: true }, ['i1.1'])).toBe(false);
});

test('RES-84: a whole mailbox stands for all that it holds', () => {
  const basket = makeBasket([ANN, 'i1.1', 'f1.2'], [BOB, 'i2.1'], [ANN, 'o1'], [ANN, 'i1.9']);
  expect(getNodes(basket)).toEqual([
    ['o1', 'p1', 'o1'],
    ['o2', 'p1', 'i2.1'],
  ]);
  expect(hasNodes(basket, ANN, ['i1.1'])).toBe(true);
  expect(getNodes(removeNodes(basket, ANN, ['i1.1']))).toEqual([['o2', 'p1', 'i2.1']]);
});

test('RES-84: entries are removed, and an object without any is gone', () => {
  const basket = makeBasket([ANN, 'i1.1', 'i1.2'], [BOB, 'i2.1']);
  const less = removeNodes(basket, ANN, ['i1.1']);
  expect(getNodes(less)).toEqual([
    ['o1', 'p1', 'i1.2'],
    ['o2', 'p1', 'i2.1'],
  ]);
  expect(getNodes(removeNodes(less, ANN, ['i1.2']))).toEqual([['o2', 'p1', 'i2.1']]);
  expect(removeNodes(less, EARLIER, ['i1.2'])).toEqual(less);
});

test('RES-84: a basket takes as many entries as a restore, and no more', () => {
  const full = makeBasket([ANN, ...Array.from({ length: 12 }, (_, n) => `i1.${n + 1}`)]);
  expect(countEntries(full)).toBe(MAX);
  expect(addNodes(full, BOB, ['i2.1'], MAX)).toBe(full);
  expect(addNodes(full, ANN, ['i1.12'], MAX)).toBe(full);
  expect(countEntries(addNodes(full, ANN, ['o1'], MAX))).toBe(1);
});

test('RES-84, RES-36: what is stored has no names, and what another build stored counts as empty', () => {
  const basket = addNodes(
    EMPTY_BASKET,
    { ...ANN, name: 'Ann', subject: 'Rota' } as BasketPlace,
    ['i1.1'],
    MAX,
  );
  expect(JSON.stringify(basket)).not.toMatch(/Ann|Rota/);
  expect(parseBasket(structuredClone(basket))).toEqual(basket);
  for (const broken of [null, undefined, 7, 'x', {}, [{}], [{ ...ANN }], [{ ...ANN, nodes: [] }]])
    expect(parseBasket(broken)).toEqual([]);
});

const entry = (id: string, kind: NamedEntry['kind'], object = 'o1'): NamedEntry => ({
  id,
  kind,
  name: id,
  people: '',
  sizeBytes: null,
  at: null,
  object: { id: object, name: 'Ann', kind: 'mailbox' },
});

test('RES-85: one task restores the folders and items of an object, and only what is still there', () => {
  const [group] = makeBasket([ANN, 'i1.1', 'f1.2', 'i1.9']);
  if (group === undefined) throw new Error('no group');
  expect(getRestores(group, [entry('i1.1', 'mail'), entry('f1.2', 'folder')])).toMatchObject([
    { level: 'items', chain: [{ id: 'o1', kind: 'mailbox' }], nodes: ['i1.1', 'f1.2'] },
  ]);
  expect(getRestores(group, [])).toEqual([]);
  const [whole] = makeBasket([ANN, 'o1']);
  if (whole === undefined) throw new Error('no group');
  expect(getRestores(whole, [entry('o1', 'mailbox')])).toMatchObject([
    { level: 'object', nodes: ['o1'] },
  ]);
});

test('RES-85: the members and settings of a team are a task of their own', () => {
  const [group] = makeBasket([{ ...ANN, workload: 'teams', object: 'o5' }, 'i5.1', 'i5.2', 'f5.3']);
  if (group === undefined) throw new Error('no group');
  const named = [
    entry('i5.1', 'post', 'o5'),
    entry('i5.2', 'settings', 'o5'),
    entry('f5.3', 'channel', 'o5'),
  ];
  expect(getRestores(group, named)).toMatchObject([
    { level: 'items', nodes: ['i5.1', 'f5.3'] },
    { level: 'items', nodes: ['i5.2'], itemKind: 'settings' },
  ]);
});

test('RES-86: a download leaves out what can only be restored', () => {
  const [group] = makeBasket([{ ...ANN, workload: 'sharepoint', object: 'o6' }, 'f6.1', 'i6.2']);
  if (group === undefined) throw new Error('no group');
  expect(
    getDownload(group, [entry('f6.1', 'library', 'o6'), entry('i6.2', 'row', 'o6')]),
  ).toMatchObject({ level: 'items', nodes: ['f6.1'] });
  expect(getDownload(group, [entry('i6.2', 'row', 'o6')])).toBeNull();
  const [site] = makeBasket([{ ...ANN, workload: 'sharepoint', object: 'o6' }, 'o6']);
  if (site === undefined) throw new Error('no group');
  expect(getDownload(site, [entry('o6', 'site', 'o6')])).toBeNull();
});
