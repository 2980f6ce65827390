import * as v from 'valibot';

const uuid: v.GenericSchema<string> = v.pipe(v.string(), v.uuid());
const text: v.GenericSchema<string> = v.string();

/** A UUID, as an id of one kind. */
export const uuidSchema = <T extends string>() => uuid as v.GenericSchema<string, T>;
/** An id in a stored row, as an id of one kind. */
export const storedIdSchema = <T extends string>() => text as v.GenericSchema<T>;

/** Ids are stored in lower case. */
export const toLowerCaseId = <T extends string>(id: T): T => id.toLowerCase() as T;
