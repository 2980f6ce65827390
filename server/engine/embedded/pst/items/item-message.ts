import type { OutlookItem } from '../../sources/outlook/read-item.ts';
import type { PstMessage } from '../message.ts';
import { getContactMessage } from './contact-message.ts';
import { getEventMessage } from './event-message.ts';
import { getTaskMessage } from './task-message.ts';

/** Returns an event, contact or task as Outlook stores it ([MS-OXOCAL], [MS-OXOCNTC], [MS-OXOTASK]). */
export function getItemMessage(item: OutlookItem): PstMessage {
  switch (item.kind) {
    case 'event':
      return getEventMessage(item.value);
    case 'contact':
      return getContactMessage(item.value);
    case 'task':
      return getTaskMessage(item.value);
  }
}
