/** An intersection as one object type. Unlike an interface, it can be assigned to `Record<string, unknown>`. */
export type Flat<Type> = { [Name in keyof Type]: Type[Name] }
