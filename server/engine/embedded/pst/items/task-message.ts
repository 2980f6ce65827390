import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import { getTaskText, readTime } from '../../formats/icalendar.ts';
import { findIanaZone } from '../../formats/time-zone.ts';
import type { OutlookTask, ZonedTime } from '../../sources/outlook/entities.ts';
import type { PstMessage } from '../message.ts';
import { NAMED } from '../named-properties.ts';
import { binary, boolean, double, int32, type Property, time } from '../properties.ts';
import { makeRecurrencePattern } from './recurrence-pattern.ts';
import { getSharedProperties } from './shared-properties.ts';

const STATUS: Readonly<Record<string, number>> = {
  notStarted: 0,
  inProgress: 1,
  completed: 2,
  waitingOnOthers: 3,
  deferred: 4,
};

/** [MS-OXOTASK] */
export function getTaskMessage(task: OutlookTask): PstMessage {
  const status = STATUS[task.status ?? ''] ?? 0;
  const isDone = status === STATUS['completed'];
  const start = readMidnight(task.startDateTime);
  const due = readMidnight(task.dueDateTime);
  const doneAt = readMidnight(task.completedDateTime);
  const reminder =
    task.isReminderOn === true ? readTime(task.reminderDateTime, 'UTC')?.toMillis() : undefined;
  const first = toDay(due ?? start);
  return {
    kind: 'task',
    recipients: [],
    attachments: [],
    properties: [
      ...getSharedProperties({
        messageClass: 'IPM.Task',
        title: task.title ?? '',
        text: { contentType: 'text', content: getText(task) },
        categories: task.categories,
        importance: task.importance,
        sensitivity: null,
        createdAt: task.createdDateTime,
        changedAt: task.lastModifiedDateTime,
        hasAttachments: false,
      }),
      int32(NAMED.taskStatus, status),
      double(NAMED.fractionDone, isDone ? 1 : 0),
      boolean(NAMED.isTaskDone, isDone),
      ...getTimes(toDay(start), ['taskStart']),
      ...getTimes(toDay(due), ['taskDue']),
      // The same times in UTC ([MS-OXOTASK] 2.2.2.1.3, 2.2.2.1.4), as that of the end (2.2.2.2.9).
      ...getTimes(start?.toMillis() ?? null, ['commonStart']),
      ...getTimes(due?.toMillis() ?? null, ['commonEnd']),
      ...(isDone ? getTimes(doneAt?.toMillis() ?? null, ['taskDoneAt']) : []),
      boolean(NAMED.isReminderSet, reminder !== undefined),
      ...getTimes(reminder ?? null, ['reminderAt', 'reminderSignalAt']),
      boolean(NAMED.isTaskRecurring, Boolean(task.recurrence)),
      ...(task.recurrence && first !== null
        ? [
            binary(
              NAMED.taskRecurrence,
              makeRecurrencePattern(task.recurrence, DateTime.fromMillis(first, { zone: 'UTC' })),
            ),
          ]
        : []),
    ],
  };
}

/** Outlook has no property for a checklist and links: they follow the text. */
function getText(task: OutlookTask): string {
  const links = (task.linkedResources ?? []).flatMap(({ displayName, webUrl }) =>
    webUrl ? [[displayName, webUrl].filter(Boolean).join(': ')] : [],
  );
  return [getTaskText(task), ...links].filter((line) => line !== '').join('\n');
}

/** Midnight of a date in its zone. */
const readMidnight = (at: ZonedTime | null | undefined): DateTime | null =>
  readTime(at, findIanaZone(at?.timeZone) ?? 'UTC')?.startOf('day') ?? null;

/** Start and due dates are midnight of no zone ([MS-OXOTASK] 2.2.2.2.4). */
const toDay = (midnight: DateTime | null): Ms | null =>
  midnight?.setZone('UTC', { keepLocalTime: true }).toMillis() ?? null;

const getTimes = (at: Ms | null, names: readonly (keyof typeof NAMED)[]): Property[] =>
  at === null ? [] : names.map((name) => time(NAMED[name], at));
