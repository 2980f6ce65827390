/** What a directory says of a name and a password. `unreachable`: it could not be asked. */
export type Bound =
  | {
      readonly is: 'right';
      readonly dn: string;
      readonly name: string | null;
      readonly email: string | null;
    }
  | {
      readonly is:
        | 'wrong'
        | 'locked'
        | 'disabled'
        | 'not-now'
        | 'must-change'
        | 'expired'
        | 'unreachable';
    };

/**
 * What became of a change. `refused`: the directory's own rules (`WILL_NOT_PERFORM`), in `says` its
 * words.
 */
export type Changed =
  | { readonly is: 'done' | 'wrong' | 'unreachable' | 'unknown' }
  | { readonly is: 'refused'; readonly says: string };

/**
 * Active Directory, or what speaks like it. User names are those of the portal: `name` or
 * `name@domain`.
 */
export interface Directory {
  bind(username: string, password: string): Promise<Bound>;
  /** By the user's own hand: the present password is proved by the directory. */
  change(username: string, current: string, next: string): Promise<Changed>;
  /** By the service account. */
  reset(username: string, next: string, mustChange: boolean): Promise<Changed>;
  unlock(username: string): Promise<Changed>;
}
