import type { GraphClient } from '../graph/client.ts';
import { graphClient } from '../graph/client.ts';
import type { GraphPorts } from '../graph/request.ts';
import type { SourceCall, SourceObject } from '../types.ts';

/** Sends requests about a mailbox: Exchange limits them by mailbox. */
export const mailboxClient = (
  ports: GraphPorts,
  { id }: SourceObject,
  call: SourceCall,
): GraphClient =>
  graphClient(ports, {
    lane: { service: 'mailbox', object: id },
    signal: call.signal,
    onWaiting: (waiting) => {
      call.onWaiting(waiting);
    },
  });

export const userPath = ({ id }: SourceObject): string => `/users/${encodeURIComponent(id)}`;
