import type { FoundObject, StoredItem } from '../types.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { ItemDecision } from './decide.ts';
import { failItem, finishItem } from './item-ends.ts';
import { withOtherName } from './item-messages.ts';
import type { Destination } from './look-up-item.ts';
import { describePlace, planBlocked, planFolder, planUndo } from './planned-places.ts';
import type { ItemEnd, RunningTask, TaskItem } from './running-task.ts';
import { announce, readStoredGrants } from './sharing.ts';
import { joinSentences } from './sentences.ts';
import { withVersions } from './versions.ts';
import { nothing } from '../../result.ts';

/** Ends an item of a dry run: says what a restore would do with it (RES-1). */
export async function announceItem(
  task: RunningTask,
  one: TaskItem,
  destination: Destination,
  {
    decision,
    found,
    earlier,
    withLoss,
  }: {
    readonly decision: Extract<ItemDecision, { do: 'write' }>;
    readonly found: FoundObject | null;
    readonly earlier: readonly StoredItem[];
    readonly withLoss: (message: string) => string;
  },
): Promise<ItemEnd> {
  const { input, writer, place, plan } = destination;
  const folder = await planFolder(task, writer, place);
  if (!folder.ok) return failItem(task, one, folder.error);
  const blocked =
    found === null && plan === null ? await planBlocked(task, one, writer, place) : nothing;
  if (!blocked.ok) return failItem(task, one, blocked.error);
  if (blocked.value?.holder === null) return finishItem(task, one, 'failed', t.folderNameTaken);
  const plannedVersions = withVersions(decision.plan, earlier.length);
  // Graph lets nobody set them (RES-6).
  const planned =
    earlier.length === 0 ? plannedVersions : t.withNewDates({ message: plannedVersions });
  const whole = plan === null ? planned : t.afterObject({ plan, message: planned });
  const named = withOtherName(whole, decision.replaces?.name, one.item, t.hasOtherName);
  const undoes = one.item.kind === 'post' ? await planUndo(task, destination) : nothing;
  if (!undoes.ok) return failItem(task, one, undoes.error);
  const message = withLoss(undoes.value === null ? named : undoes.value({ message: named }));
  // RES-6: who gets access again, and who does not.
  const grants = decision.outcome === 'restored' ? await readStoredGrants(task, one.item) : [];
  const sharing = announce(grants, input.flags.permissions === true, task.clock.now());
  const now = plan === null ? await describePlace(task, one.folder, writer, place) : nothing;
  if (!now.ok) return failItem(task, one, now.error);
  const announced = joinSentences(message, sharing);
  return finishItem(task, one, decision.outcome, joinSentences(announced, now.value ?? ''));
}
