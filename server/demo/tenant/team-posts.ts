import type { Ms } from '#contract/ids.ts';
import { type Rng, pickOne, upTo } from '../random.ts';
import { makePicture } from './content.ts';
import type { Tenant } from './store.ts';
import { type ChannelRow, type PostRow, addPost, imageMark } from './team-store.ts';

const SUBJECTS = [
  'Launch week',
  'Crane inspection',
  'Quay 4',
  'New drawings',
  'Offer for the winch',
] as const;
const TEXTS = [
  'The new drawings are in the files of this channel.',
  'Who can be at the yard on <b>Thursday</b>?',
  'The weather holds until Friday: we start with the foundation.',
  'Grüße aus der Werft – die Lieferung ist da.',
  'Here is the picture of the damaged plate.',
] as const;
const REPLIES = [
  'Thanks, I will have a look.',
  'Done.',
  'I can be there at eight.',
  'はい、確認しました。',
] as const;

/** Adds a made post of a member, sometimes with a picture, or a reply to `root`. */
export function makePost(
  tenant: Tenant,
  channel: ChannelRow,
  {
    author,
    root,
    at,
    random,
  }: {
    readonly author: { readonly id: string; readonly name: string };
    readonly root: PostRow | null;
    readonly at: Ms;
    readonly random: Rng;
  },
): PostRow {
  const hasPicture = root === null && random() < 0.25;
  const text = root === null ? pickOne(TEXTS, random) : pickOne(REPLIES, random);
  const picture = hasPicture
    ? `<p><img src="${imageMark(0)}" alt="plate" width="32" height="32"></p>`
    : '';
  return addPost(tenant, {
    channel,
    root,
    at,
    images: hasPicture ? [{ type: 'image/png', bytes: makePicture(tenant.store.seq()) }] : [],
    props: {
      author,
      subject: root === null && random() < 0.6 ? pickOne(SUBJECTS, random) : null,
      importance: random() < 0.1 ? 'high' : 'normal',
      contentType: 'html',
      content: `<div><p>${text}</p>${picture}</div>`,
      attachments: [],
      mentions: [],
    },
  });
}

/** Returns a random member of a team who is still there. */
export function pickMember(
  { store }: Tenant,
  team: string,
  random: Rng,
): { readonly id: string; readonly name: string } | null {
  const members = store.all<{ id: string; name: string }>(
    `select p.id, p.name from member as m join person as p on p.id = m.person_id
     where m.team_id = ? and p.removed = 0 order by p.n`,
    team,
  );
  return members[upTo(random, members.length)] ?? null;
}
