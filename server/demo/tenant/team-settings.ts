import type { Tenant } from './store.ts';

export interface TeamSettings {
  readonly description: string | null;
  readonly visibility: 'Public' | 'Private' | 'HiddenMembership';
  readonly memberSettings: Readonly<Record<string, boolean>>;
  readonly guestSettings: Readonly<Record<string, boolean>>;
  readonly messagingSettings: Readonly<Record<string, boolean>>;
  readonly funSettings: Readonly<Record<string, boolean | string>>;
}

const SETTINGS: TeamSettings = {
  description: null,
  visibility: 'Private',
  memberSettings: {
    allowCreateUpdateChannels: true,
    allowCreatePrivateChannels: true,
    allowDeleteChannels: true,
    allowAddRemoveApps: true,
    allowCreateUpdateRemoveTabs: true,
    allowCreateUpdateRemoveConnectors: true,
  },
  guestSettings: { allowCreateUpdateChannels: false, allowDeleteChannels: false },
  messagingSettings: {
    allowUserEditMessages: true,
    allowUserDeleteMessages: true,
    allowOwnerDeleteMessages: true,
    allowTeamMentions: true,
    allowChannelMentions: true,
  },
  funSettings: {
    allowGiphy: true,
    giphyContentRating: 'moderate',
    allowStickersAndMemes: true,
    allowCustomMemes: true,
  },
};

export function readSettings({ store }: Tenant, team: string): TeamSettings {
  const row = store.get<{ props: string }>(
    'select props from team_settings where team_id = ?',
    team,
  );
  return row ? { ...SETTINGS, ...(JSON.parse(row.props) as Partial<TeamSettings>) } : SETTINGS;
}

export function changeSettings(tenant: Tenant, team: string, change: Partial<TeamSettings>): void {
  const before = readSettings(tenant, team);
  const merge = <K extends Exclude<keyof TeamSettings, 'description' | 'visibility'>>(name: K) => ({
    [name]: { ...before[name], ...change[name] },
  });
  tenant.store.run(
    'insert or replace into team_settings (team_id, props) values (?, ?)',
    team,
    JSON.stringify({
      description: change.description === undefined ? before.description : change.description,
      visibility: change.visibility ?? before.visibility,
      ...merge('memberSettings'),
      ...merge('guestSettings'),
      ...merge('messagingSettings'),
      ...merge('funSettings'),
    }),
  );
}

export interface TeamMember {
  readonly personId: string;
  readonly isOwner: boolean;
}

export const listTeamMembers = ({ store }: Tenant, team: string): TeamMember[] =>
  store
    .all<{ person_id: string; owner: number }>(
      `select m.person_id, exists (select 1 from team_owner as o where o.team_id = m.team_id and o.person_id = m.person_id) as owner
       from member as m join person as p on p.id = m.person_id and p.removed = 0
       where m.team_id = ? order by m.person_id`,
      team,
    )
    .map(({ person_id: personId, owner }) => ({ personId, isOwner: owner === 1 }));

/** Adds a member, or changes the role of one. */
export function putMember(
  { store }: Tenant,
  team: string,
  { personId, isOwner }: TeamMember,
): void {
  store.run('insert or ignore into member (team_id, person_id) values (?, ?)', team, personId);
  if (isOwner)
    store.run(
      'insert or ignore into team_owner (team_id, person_id) values (?, ?)',
      team,
      personId,
    );
  else store.run('delete from team_owner where team_id = ? and person_id = ?', team, personId);
}

export function removeMember({ store }: Tenant, team: string, personId: string): void {
  store.run('delete from member where team_id = ? and person_id = ?', team, personId);
  store.run('delete from team_owner where team_id = ? and person_id = ?', team, personId);
}

/** Private channels have members of their own. */
export const listChannelMembers = ({ store }: Tenant, channel: string): TeamMember[] =>
  store
    .all<{ person_id: string; owner: number }>(
      `select m.person_id, m.owner from channel_member as m join person as p on p.id = m.person_id and p.removed = 0
       where m.channel_id = ? order by m.person_id`,
      channel,
    )
    .map(({ person_id: personId, owner }) => ({ personId, isOwner: owner === 1 }));

export const putChannelMember = (
  { store }: Tenant,
  channel: string,
  { personId, isOwner }: TeamMember,
): void =>
  store.run(
    'insert or replace into channel_member (channel_id, person_id, owner) values (?, ?, ?)',
    channel,
    personId,
    isOwner ? 1 : 0,
  );

export const removeChannelMember = ({ store }: Tenant, channel: string, person: string): void =>
  store.run('delete from channel_member where channel_id = ? and person_id = ?', channel, person);
