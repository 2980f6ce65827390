/** Lists of a tenant's directory. Groups that have a team are listed as both. */
export type DirectoryList = 'users' | 'groups' | 'sites';
