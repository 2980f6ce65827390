import { createActor, fromPromise, waitFor } from 'xstate';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { getCall } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { makeWizardMachine } from '#machines/wizard.ts';
import type { WizardDraft } from '#machines/wizard.ts';
import {
  ROLE_WIZARD,
  roleData,
  roleFields,
} from '#src/features/restore/roles/wizard/definition.ts';
import type { RoleData } from '#src/features/restore/roles/wizard/definition.ts';

const ORGANIZATION = '10000000-0000-4000-8000-000000000001';
const ROLE = '20000000-0000-4000-8000-000000000001';
const ann = { type: 'User', id: 'u1', name: 'Ann' } as const;
const sales = { type: 'Group', id: 'g1', name: 'Sales' } as const;
const site = { type: 'Site', id: 's1', name: 'Intranet' } as const;

async function start(prefill: Partial<RoleData> = {}) {
  const actor = createActor(
    makeWizardMachine(ROLE_WIZARD).provide({
      actors: {
        readDraft: fromPromise<WizardDraft<RoleData> | null>(() => Promise.resolve(null)),
        saveDraft: fromPromise<Result<unknown>, WizardDraft<RoleData>>(() =>
          Promise.resolve<Result<unknown>>(ok(null)),
        ),
        deleteDraft: fromPromise<unknown>(() => Promise.resolve<unknown>(null)),
      },
    }),
    { input: { step: null, prefill } },
  ).start();
  await waitFor(actor, (snapshot) => snapshot.matches('filling'));
  const go = (changes: Partial<RoleData>): [string, readonly string[]] => {
    actor.send({ type: 'EDIT', changes });
    actor.send({ type: 'NEXT' });
    const { step, errors } = actor.getSnapshot().context;
    return [step, (errors[step] ?? []).map(({ path }) => path)];
  };
  return { actor, go };
}

test('RES-51: restore-operator-roles/1 to restore-operator-roles/5, and each check names its field', async () => {
  const { actor, go } = await start();
  expect(go({ name: ' ' })).toEqual(['1', ['name']]);
  expect(go({ name: 'Reception' })).toEqual(['2', []]);
  expect(go({})).toEqual(['2', ['organizationId']]);
  expect(go({ organizationId: ORGANIZATION })).toEqual(['3', []]);
  expect(go({})).toEqual(['3', ['operators']]);
  expect(go({ operators: [ann] })).toEqual(['4', []]);
  expect(go({ roleType: 'SpecificObjects' })).toEqual(['4', ['selectedItems']]);
  expect(go({ selectedItems: [sales] })).toEqual(['5', []]);
  actor.send({ type: 'EDIT', changes: { excludedItems: [sales] } });
  actor.send({ type: 'SAVE' });
  const { step, errors } = actor.getSnapshot().context;
  expect([step, errors['5']]).toEqual([
    '5',
    [{ path: 'excludedItems', message: 'Sales is also selected in the previous step.' }],
  ]);
});

test('RES-51: another organization empties operators and items, and whoever may not read may not download', async () => {
  const { actor } = await start({
    organizationId: ORGANIZATION,
    operators: [ann],
    selectedItems: [sales],
    excludedItems: [site],
    mayDownload: true,
  });
  actor.send({ type: 'EDIT', changes: { withoutReading: true } });
  expect(actor.getSnapshot().context.data.mayDownload).toBe(false);
  actor.send({ type: 'EDIT', changes: { organizationId: ROLE } });
  const { operators, selectedItems, excludedItems } = actor.getSnapshot().context.data;
  expect([operators, selectedItems, excludedItems]).toEqual([[], [], []]);
});

test('RES-51: the server accepts what the wizard sends, and the wizard reads it back unchanged', () => {
  const { input, output } = getCall('createRestoreRole');
  expect(output).toBeDefined();
  const data: RoleData = {
    ...ROLE_WIZARD.empty,
    id: ROLE,
    name: 'Reception',
    description: 'For the front desk',
    organizationId: ORGANIZATION,
    operators: [ann, sales],
    roleType: 'SpecificObjects',
    selectedItems: [ann, sales, site],
    excludedItems: [{ type: 'Team', id: 't1', name: 'Board' }],
    mayDownload: true,
    needsSecondPerson: true,
  };
  const fields = roleFields(data);
  expect(v.safeParse(input, { ...fields, organizationId: ORGANIZATION }).issues ?? []).toEqual([]);
  const named = <T extends { readonly id: string }>(item: T) => ({
    ...item,
    name: [...data.operators, ...data.selectedItems, ...data.excludedItems].find(
      ({ id }) => id === item.id,
    )?.name as string,
    address: '',
  });
  expect(
    roleData({
      _id: ROLE,
      id: ROLE,
      name: data.name,
      description: data.description,
      organizationId: ORGANIZATION,
      organizationName: 'Calloway',
      companyN: 1,
      operatorNames: [],
      operatorCount: 2,
      selected: 3,
      excluded: 1,
      people: 0,
      updatedAt: 0,
      roleType: 'SpecificObjects',
      withoutReading: false,
      mayDownload: true,
      needsSecondPerson: true,
      operators: fields.operators.map(named),
      selectedItems: (fields.selectedItems ?? []).map(named),
      excludedItems: (fields.excludedItems ?? []).map(named),
    }),
  ).toEqual(data);
});
