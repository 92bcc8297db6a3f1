/** Where something stands in a package. */
export interface Place {
  readonly name: string
  /** Folder inside the package, `/` between components, empty for the root. */
  readonly path: string
}

export const placeOf = ({ path, name }: Place): string => (path === '' ? name : `${path}/${name}`)
