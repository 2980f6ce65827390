import type { PSTMessage } from 'pst-extractor';
import type { OutlookTask } from '../../../sources/outlook/entities.ts';
import { readPstText, listAttachments, type PstMessageRef } from '../pst-message.ts';
import { type NameMap, readProperties } from './item-properties.ts';
import { readTaskRecurrence } from './read-recurrence.ts';
import { getImportance, getStamps, type ReadItem, toDate, toUtc } from './shared-fields.ts';

const STATUS = ['notStarted', 'inProgress', 'completed', 'waitingOnOthers', 'deferred'];

/** Returns a task as Graph would ([MS-OXOTASK]), without an id. */
export function readTask(
  place: PstMessageRef,
  message: PSTMessage,
  names: NameMap,
): ReadItem<OutlookTask> {
  const properties = readProperties(message, names);
  const day = (name: 'taskStart' | 'taskDue' | 'taskDoneAt') => {
    const at = properties.time(name);
    return at === null ? undefined : toUtc(toDate(at));
  };
  const reminder = properties.flag('isReminderSet')
    ? (properties.time('reminderSignalAt') ?? properties.time('reminderAt'))
    : null;
  const series = properties.bytes('taskRecurrence');
  const recurrence = series === null ? null : readTaskRecurrence(series);
  const isLost = properties.flag('isTaskRecurring') && recurrence === null;
  const isDone = properties.flag('isTaskDone');
  return {
    value: {
      id: '',
      ...getStamps(properties),
      title: readPstText(() => message.subject),
      body: { contentType: 'text', content: readPstText(() => message.body) },
      status: STATUS[isDone ? 2 : (properties.int('taskStatus') ?? 0)] ?? 'notStarted',
      importance: getImportance(properties),
      categories: [...properties.texts('categories')],
      isReminderOn: reminder !== null,
      ...(reminder !== null && { reminderDateTime: toUtc(reminder) }),
      startDateTime: day('taskStart'),
      dueDateTime: day('taskDue'),
      completedDateTime: isDone ? day('taskDoneAt') : undefined,
      ...(recurrence !== null && { recurrence }),
    },
    // A task of Microsoft 365 that is created by its interface has no attachments.
    left: [
      ...(isLost ? (['series'] as const) : []),
      ...([...listAttachments(place, message)].length > 0 ? (['attachments'] as const) : []),
    ],
  };
}
