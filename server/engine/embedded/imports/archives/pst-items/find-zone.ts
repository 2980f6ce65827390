import { findIanaZone } from '../../../formats/time-zone.ts';
import type { ItemProperties } from './item-properties.ts';

/** Where the name of a zone begins in its definition ([MS-OXOCAL] 2.2.1.41). */
const NAME_AT = 8;
/** Without a change of clocks, an offset of whole hours is a zone of its own. */
const STANDARD_MONTH_AT = 16;

/** Returns the name that an event has for its zone; null: it has none that is known. */
export function findEventZone(properties: ItemProperties): string | null {
  const names = [
    getDefinedName(properties.bytes('seriesZone')),
    getDefinedName(properties.bytes('startZone')),
    properties.text('zoneName'),
  ];
  const known = names.find((name) => findIanaZone(name) !== null);
  return known ?? findFixedZone(properties.bytes('zoneRules'));
}

function getDefinedName(definition: Buffer | null): string {
  if (definition === null || definition.length < NAME_AT) return '';
  const end = NAME_AT + 2 * definition.readUInt16LE(NAME_AT - 2);
  return definition.subarray(NAME_AT, end).toString('utf16le').replaceAll('\0', '');
}

/** [MS-OXOCAL] 2.2.1.39: minutes to add to local time for UTC. */
function findFixedZone(rules: Buffer | null): string | null {
  if (rules === null || rules.length < STANDARD_MONTH_AT + 2) return null;
  const minutes = rules.readInt32LE(0) + rules.readInt32LE(4);
  const changes = rules.readUInt16LE(STANDARD_MONTH_AT) !== 0;
  if (changes || minutes % 60 !== 0) return null;
  const hours = minutes / 60;
  const zone = hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '+' : ''}${hours}`;
  return findIanaZone(zone) === null ? null : zone;
}
