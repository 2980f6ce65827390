import { memoryObject, type MemoryObject } from './memory-source.ts';

/** Ann has a mailbox and a drive, Bob a mailbox, Cem a drive. What one loses, others still need. */
export function makePeople(): MemoryObject[] {
  const objects = [
    memoryObject('mailbox', 'ann'),
    memoryObject('drive', 'ann'),
    memoryObject('mailbox', 'bob'),
    memoryObject('drive', 'cem'),
  ];
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    for (let n = 0; n < 3; n += 1) memory.putItem(`i${n}`, 'top', `shared ${n}`);
    memory.putItem('own', 'top', `only of ${memory.object.kind} ${memory.object.id}`);
  }
  return objects;
}
