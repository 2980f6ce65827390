import * as v from 'valibot';
import type { Vb365Api } from './api.ts';
import { PUBLISHED, publishedError } from './schema.ts';

/**
 * Checks each request that the server gets and each answer that it gives: the version must publish
 * them. Returns what it does not, as it goes on.
 */
export function checkTraffic(server: Vb365Api): readonly string[] {
  const problems: string[] = [];
  const answer = server.answer.bind(server);
  const published = PUBLISHED[server.version];
  server.answer = async (request) => {
    const given = await answer(request);
    if (given.silent === true) return given;
    const { pathname } = new URL(request.path, 'https://vb365.example.com');
    const [version, ...rest] = pathname.toLowerCase().split('/').slice(1);
    // The client asks for the newest version first.
    if (version !== server.version) return given;
    const name = getRequestName(request.method, rest);
    const form = published[name];
    const { status = 200 } = given;
    const body = form?.body === 'file' && status < 400 ? '' : String(given.body ?? '');
    if (form === undefined) problems.push(`${name} is not published`);
    else if (status >= 400) {
      if (!v.is(publishedError(server.version), JSON.parse(body)))
        problems.push(`${name}: ${body}`);
    } else if (status !== form.status) problems.push(`${name} answers ${status}`);
    else if (form.body === 'file') {
      if (!Buffer.isBuffer(given.body)) problems.push(`${name} answers no file`);
    } else if (form.body === null ? body !== '' : !v.is(form.body, JSON.parse(body)))
      problems.push(`${name} answers ${body}`);
    return given;
  };
  return problems;
}

/** After these, a path names one of a list by an id of any form. */
const LISTS = new Set([
  'mailboxes',
  'onedrives',
  'folders',
  'items',
  'documents',
  'sites',
  'libraries',
  'lists',
  'teams',
  'channels',
  'files',
  'posts',
  'tabs',
  'versions',
]);
const COMMANDS = new Set([
  'save',
  'restore',
  'restoreto',
  'copyto',
  'exporttopst',
  'export',
  'search',
]);
const getRequestName = (method: string, path: readonly string[]): string =>
  `${method} ${path
    .map((part, n) =>
      LISTS.has(path[n - 1] ?? '') && path[0] === 'restoresessions' && !COMMANDS.has(part)
        ? '{id}'
        : part.replaceAll(ID, '{id}'),
    )
    .join('/')}`;
const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
