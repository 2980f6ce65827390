import type { Role } from '#contract/abilities.ts';
import type { CompanyN } from '#contract/ids.ts';
import { ask, login } from '../http/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';

/** A user who signs in again where a session has run out: for tests in which days pass. */
export async function person(
  office: Office,
  name: string,
  role: Role,
  companies: readonly CompanyN[] | null = null,
): Promise<Asker> {
  let me = await office.as(name, [role], companies);
  return async (...request) => {
    const answer = await me(...request);
    if (answer.status !== 401) return answer;
    const { token } = (await login(office.app, office.host, name)).body.data;
    me = (method, path, body, headers = {}) =>
      ask(office.app, `/api/v1/${path}`, {
        method,
        host: office.host,
        token,
        headers,
        ...(body === undefined ? {} : { body }),
      });
    return me(...request);
  };
}
