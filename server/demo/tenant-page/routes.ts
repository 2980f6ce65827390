import type { Context, Hono } from 'hono';
import type { AppContext } from '../../platform/app-context.ts';
import { isOperator } from '../../platform/http/is-operator.ts';
import type { DemoTenants } from '../demo-tenants.ts';
import { GraphError } from '../tenant/graph-error.ts';
import type { Person } from '../tenant/people.ts';
import type { TeamAdmin } from '../tenant/team-admin.ts';
import type { GroupRow } from '../tenant/groups.ts';
import type { ChannelRow } from '../tenant/team-store.ts';
import { channelPage } from './channel-page.ts';
import { tenantPageMessages as t } from './messages.en.ts';
import { BASE_PATH, type ShownTenant } from './html.ts';
import { OUTLOOK_KINDS, outlookPage } from './outlook-page.ts';
import { APP_ROLES } from '../tenant/permissions.ts';
import { TENANT_CSS, filesPage, mailsPage, registeredPage, tenantPage } from './page.ts';
import { libraryPage, renderListPage } from './sites.ts';

/** The permissions that only read. */
const READING = Object.keys(APP_ROLES).filter((role) =>
  /\.(Read|ReadBasic|Export)(\.All)?$/.test(role),
);

const toPeople = (): string => '';
const toMails = (c: Context): string =>
  `/people/${c.req.param('person')}/mails?folder=${encodeURIComponent(c.req.query('folder') ?? 'inbox')}`;
const toFiles = (c: Context): string => `/people/${c.req.param('person')}/files`;
const toOutlook = (c: Context): string => `/people/${c.req.param('person')}/outlook`;
const toChannel = (c: Context): string =>
  `/teams/${c.req.param('team')}/channels/${c.req.param('channel')}`;
const toSitePart = (c: Context): string => {
  const [, part = ''] = /(\/sites\/[^/]+\/(?:libraries|lists)\/[^/]+)/.exec(c.req.path) ?? [];
  return part;
};
const param = (c: Context, name: string): string => c.req.param(name) ?? '';

/**
 * `/demo/tenant`: what the people of the demo's cloud tenants do, done by hand, to see it backed up:
 * mails and files are added, changed and deleted, people leave and join, sign-in requests are
 * approved. Only for a browser on the server's machine.
 */
export function tenantPageRoutes(context: AppContext, tenants: DemoTenants): (app: Hono) => void {
  const all = (): ShownTenant[] =>
    tenants.list().map(({ provider, tenant }, n) => ({ n: n + 1, provider, tenant }));
  const find = (c: Context): { shown: ShownTenant; person: Person | null } | null => {
    if (!isOperator(context, c.req.raw, c.env)) return null;
    const shown = all().find(({ n }) => String(n) === (c.req.param('n') ?? '1'));
    const id = c.req.param('person');
    if (!shown) return null;
    if (id === undefined) return { shown, person: null };
    const person = shown.tenant.admin.listUsers().find((user) => user.id === id);
    return person ? { shown, person } : null;
  };
  /** Does something and goes back to the page that offered it. */
  const act =
    (
      work: (admin: ShownTenant['tenant']['admin'], c: Context) => unknown,
      back: (c: Context) => string,
    ) =>
    async (c: Context): Promise<Response> => {
      const found = find(c);
      if (!found || isFromElsewhere(c.req.raw)) return c.notFound();
      try {
        await work(found.shown.tenant.admin, c);
      } catch (error) {
        // What was there when the page was shown can be gone by now.
        if (!(error instanceof GraphError)) throw error;
      }
      return c.redirect(`${BASE_PATH}/${found.shown.n}${back(c)}`, 303);
    };
  /** Does something in a channel and goes back to its page. */
  const actIn = (work: (teams: TeamAdmin, team: string, channel: string, c: Context) => unknown) =>
    act((admin, c) => {
      const found = findShownChannel(admin, c);
      if (found) work(admin.teams, found.team.id, found.channel.id, c);
    }, toChannel);
  return (app) => {
    app.get(`${BASE_PATH}.css`, (c) =>
      isOperator(context, c.req.raw, c.env)
        ? send(TENANT_CSS, 'text/css; charset=utf-8')
        : c.notFound(),
    );
    for (const path of [BASE_PATH, `${BASE_PATH}/:n`])
      app.get(path, (c) => {
        const found = find(c);
        return found ? send(tenantPage(found.shown, all())) : c.notFound();
      });
    app.get(`${BASE_PATH}/:n/people/:person/mails`, (c) => {
      const found = find(c);
      if (!found?.person) return c.notFound();
      const { shown, person } = found;
      if (person.mailbox === 'none' || person.mailbox === 'inactive') return c.notFound();
      const wanted = c.req.query('folder') ?? 'inbox';
      const folders = shown.tenant.admin.listFolders(person.id);
      const folder = folders.find(({ id, well_known }) => id === wanted || well_known === wanted);
      return folder ? send(mailsPage(shown, person, folder)) : c.notFound();
    });
    app.get(`${BASE_PATH}/:n/people/:person/outlook`, (c) => {
      const found = find(c);
      const hasMailbox = found?.person?.mailbox === 'user' || found?.person?.mailbox === 'shared';
      return found?.person && hasMailbox
        ? send(outlookPage(found.shown, found.person))
        : c.notFound();
    });
    for (const kind of OUTLOOK_KINDS) {
      const path = `${BASE_PATH}/:n/people/:person/outlook/${kind}`;
      app.post(
        path,
        act((admin, c) => admin.outlook.add(param(c, 'person'), kind), toOutlook),
      );
      app.post(
        `${path}/:item/change`,
        act(
          (admin, c) => admin.outlook.change(param(c, 'person'), kind, param(c, 'item')),
          toOutlook,
        ),
      );
      app.post(
        `${path}/:item/delete`,
        act(
          (admin, c) => admin.outlook.remove(param(c, 'person'), kind, param(c, 'item')),
          toOutlook,
        ),
      );
    }
    app.get(`${BASE_PATH}/:n/people/:person/files`, (c) => {
      const found = find(c);
      return found?.person?.hasDrive ? send(filesPage(found.shown, found.person)) : c.notFound();
    });
    for (const [kind, show] of [
      ['libraries', libraryPage],
      ['lists', renderListPage],
    ] as const)
      app.get(`${BASE_PATH}/:n/sites/:site/${kind}/:part`, (c) => {
        const shown = find(c)?.shown;
        const body = shown ? show(shown, param(c, 'site'), param(c, 'part')) : null;
        return body === null ? c.notFound() : send(body);
      });
    app.post(
      `${BASE_PATH}/:n/codes/:code/approve`,
      act(async (admin, c) => {
        const form = new URLSearchParams(await c.req.text());
        admin.approveDeviceCode(param(c, 'code'), form.get('user') ?? '');
      }, toPeople),
    );
    // What Microsoft's sign-in page does: leads back to where the person came from.
    app.post(`${BASE_PATH}/:n/sign-in`, async (c) => {
      const shown = find(c)?.shown;
      if (!shown || isFromElsewhere(c.req.raw)) return c.notFound();
      const form = new URLSearchParams(await c.req.text());
      const back = shown.tenant.admin.signIn(form.get('page') ?? '', form.get('user') ?? '');
      return c.redirect(back, 303);
    });
    app.post(
      `${BASE_PATH}/:n/codes/:code/decline`,
      act((admin, c) => admin.declineDeviceCode(param(c, 'code')), toPeople),
    );
    app.post(`${BASE_PATH}/:n/applications`, (c) => {
      const shown = find(c)?.shown;
      if (!shown || isFromElsewhere(c.req.raw)) return c.notFound();
      const { admin } = shown.tenant;
      const name = t.applicationName({ n: admin.listApplications().length + 1 });
      return send(registeredPage(shown, admin.registerApplication(name, READING)));
    });
    app.post(
      `${BASE_PATH}/:n/applications/:application/remove`,
      act((admin, c) => admin.removeApplication(param(c, 'application')), toPeople),
    );
    app.post(
      `${BASE_PATH}/:n/people`,
      act((admin) => admin.addUser(), toPeople),
    );
    app.post(
      `${BASE_PATH}/:n/people/:person/remove`,
      act((admin, c) => admin.removeUser(param(c, 'person')), toPeople),
    );
    app.post(
      `${BASE_PATH}/:n/people/:person/mails`,
      act((admin, c) => admin.addMessage(param(c, 'person'), c.req.query('folder')), toMails),
    );
    app.post(
      `${BASE_PATH}/:n/people/:person/mails/:mail/archive`,
      act(
        (admin, c) => admin.moveMessage(param(c, 'person'), param(c, 'mail'), 'archive'),
        toMails,
      ),
    );
    for (const verb of ['flag', 'unflag'])
      app.post(
        `${BASE_PATH}/:n/people/:person/mails/:mail/${verb}`,
        act(
          (admin, c) => admin.flagMessage(param(c, 'person'), param(c, 'mail'), verb === 'flag'),
          toMails,
        ),
      );
    app.post(
      `${BASE_PATH}/:n/people/:person/mails/:mail/delete`,
      act((admin, c) => admin.deleteMessage(param(c, 'person'), param(c, 'mail')), toMails),
    );
    app.post(
      `${BASE_PATH}/:n/people/:person/files`,
      act((admin, c) => admin.addFile(param(c, 'person')), toFiles),
    );
    app.post(
      `${BASE_PATH}/:n/people/:person/files/:file/change`,
      act((admin, c) => admin.changeFile(param(c, 'person'), param(c, 'file')), toFiles),
    );
    app.post(
      `${BASE_PATH}/:n/people/:person/files/:file/delete`,
      act((admin, c) => admin.deleteFile(param(c, 'person'), param(c, 'file')), toFiles),
    );
    const channelPath = `${BASE_PATH}/:n/teams/:team/channels/:channel`;
    app.get(channelPath, (c) => {
      const shown = find(c)?.shown;
      const found = shown && findShownChannel(shown.tenant.admin, c);
      return found ? send(channelPage(shown, found.team, found.channel)) : c.notFound();
    });
    app.post(
      `${channelPath}/posts`,
      actIn((teams, team, channel) => teams.addPost(team, channel)),
    );
    app.post(
      `${channelPath}/posts/:post/reply`,
      actIn((teams, team, channel, c) => {
        const root = teams.listPosts(team, channel).find(({ id }) => id === c.req.param('post'));
        if (root) teams.addPost(team, channel, root);
      }),
    );
    app.post(
      `${channelPath}/posts/:post/delete`,
      actIn((teams, team, channel, c) => teams.deletePost(team, channel, param(c, 'post'))),
    );
    app.post(
      `${channelPath}/files`,
      actIn((teams, team, channel) =>
        teams.addFile(team, channel, t.newFile({ n: teams.listFiles(team, channel).length + 1 })),
      ),
    );
    app.post(
      `${channelPath}/files/:file/change`,
      actIn((teams, team, channel, c) => teams.changeFile(team, channel, param(c, 'file'))),
    );
    app.post(
      `${channelPath}/files/:file/delete`,
      actIn((teams, team, channel, c) => teams.deleteFile(team, channel, param(c, 'file'))),
    );
    app.post(
      `${channelPath}/tabs/:tab/remove`,
      actIn((teams, team, channel, c) => teams.removeTab(team, channel, param(c, 'tab'))),
    );
    app.post(
      `${channelPath}/members/:member/remove`,
      actIn((teams, team, _, c) => teams.removeMember(team, param(c, 'member'))),
    );
    const [library, list] = ['libraries', 'lists'].map(
      (kind) => `${BASE_PATH}/:n/sites/:site/${kind}/:part`,
    );
    app.post(
      `${library}/files`,
      act((admin, c) => admin.addLibraryFile(param(c, 'part')), toSitePart),
    );
    app.post(
      `${library}/files/:file/change`,
      act((admin, c) => admin.changeLibraryFile(param(c, 'part'), param(c, 'file')), toSitePart),
    );
    app.post(
      `${library}/files/:file/delete`,
      act((admin, c) => admin.deleteLibraryFile(param(c, 'part'), param(c, 'file')), toSitePart),
    );
    app.post(
      `${list}/rows`,
      act((admin, c) => admin.addRow(param(c, 'site'), param(c, 'part')), toSitePart),
    );
    app.post(
      `${list}/rows/:row/change`,
      act(
        (admin, c) => admin.changeRow(param(c, 'site'), param(c, 'part'), Number(param(c, 'row'))),
        toSitePart,
      ),
    );
    app.post(
      `${list}/rows/:row/delete`,
      act(
        (admin, c) => admin.deleteRow(param(c, 'site'), param(c, 'part'), Number(param(c, 'row'))),
        toSitePart,
      ),
    );
  };
}

function findShownChannel(
  { teams }: ShownTenant['tenant']['admin'],
  c: Context,
): { readonly team: GroupRow; readonly channel: ChannelRow } | null {
  const team = teams.list().find(({ id }) => id === c.req.param('team'));
  const channel =
    team && teams.listChannels(team.id).find(({ n }) => String(n) === c.req.param('channel'));
  return team && channel ? { team, channel } : null;
}

const send = (body: string, type = 'text/html; charset=utf-8'): Response =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': 'no-store' } });

/** Whether another site may have sent a form. */
function isFromElsewhere(request: Request): boolean {
  const origin = request.headers.get('origin');
  return (
    origin !== null && origin !== 'null' && new URL(origin).host !== request.headers.get('host')
  );
}
