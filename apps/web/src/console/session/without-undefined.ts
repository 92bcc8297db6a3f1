type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** What is undefined is left out: the contract tells "not given" from "given as nothing". */
export const withoutUndefined = <T extends object>(given: T): Defined<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T>
