import type { Context, Hono } from 'hono';
import type { GraphCaller } from './access-token.ts';
import { GraphError } from './graph-error.ts';
import { findMailbox } from './mailbox-store.ts';
import type { Person } from './people.ts';
import { type Action, checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';

export interface GraphEnv {
  readonly Variables: { readonly caller: GraphCaller };
}
export type GraphApp = Hono<GraphEnv>;
export type GraphContext = Context<GraphEnv>;

/**
 * Returns the mailbox of a path, `/users/:user/…`, if the caller may do this with it: a user only
 * with the own one.
 * @throws GraphError 403, 404
 */
export function openMailbox(tenant: Tenant, c: GraphContext, key: string, action: Action): Person {
  const caller = c.get('caller');
  checkPermission(caller, action);
  const person = findMailbox(tenant, key);
  if (caller.personId !== null && caller.personId !== person.id)
    throw new GraphError(
      403,
      'ErrorAccessDenied',
      'Access is denied. Check credentials and try again.',
    );
  return person;
}
