import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces, platform } from 'node:os';

/**
 * Names the processes among which a process number is unique. Two containers of one computer, or two
 * cloned virtual machines, can have the same host name and the same process numbers. Empty if it
 * can't be told.
 */
export const PROCESS_SPACE: string = readProcessSpace();

function readProcessSpace(): string {
  if (platform() !== 'linux') {
    const cards = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
    const addresses = cards.filter(({ internal }) => !internal).map(({ mac }) => mac);
    return [hostname(), ...new Set(addresses.sort())].join(' ');
  }
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
