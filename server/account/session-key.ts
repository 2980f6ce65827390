import type { World } from '../world.ts';

const NAME = 'session-key';
const known = new WeakMap<World, Promise<Buffer>>();

/** The key under which tokens follow each other: made once, shared by every server on this database. */
export function sessionKey(world: World): Promise<Buffer> {
  const there = known.get(world);
  if (there) return there;
  const reading = readOrMake(world);
  known.set(world, reading);
  reading.catch(() => known.delete(world));
  return reading;
}

async function readOrMake({ store, chance }: World): Promise<Buffer> {
  const fresh = Buffer.from(chance.bytes(32)).toString('base64url');
  return store.system(async (sql) => {
    await sql.insertInto('server_setting').values({ name: NAME, value: fresh }).onConflict((on) => on.column('name').doNothing()).execute();
    const { value } = await sql.selectFrom('server_setting').select('value').where('name', '=', NAME).executeTakeFirstOrThrow();
    return Buffer.from(value, 'base64url');
  });
}
