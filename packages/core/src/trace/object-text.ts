/** A primitive value, nothing, or the index of an object. */
type Reference = number | readonly [value?: unknown]
/** Maps and objects alternate keys and values. */
type Node = readonly [kind: 'array' | 'set' | 'map' | 'object', items: readonly Reference[]]

type WriteOptions = {
  /** Replaces an object. */
  readonly replace: (value: object) => object
  /** Replaces a text. */
  readonly hide: (text: string) => string
}

/**
 * Writes arrays, sets, maps and plain objects as JSON. They may contain cycles, which `JSON.stringify` does not
 * support. An object that occurs many times is written once.
 */
export const writeObjects = (root: object, { replace, hide }: WriteOptions): string => {
  const indexes = new Map<object, number>()
  const hidden = new Map<string, string>()
  const nodes: Node[] = []
  const writeText = (text: string): string => {
    const known = hidden.get(text) ?? hide(text)
    hidden.set(text, known)
    return known
  }
  const toNode = (value: object): Node => {
    if (Array.isArray(value)) return ['array', value.map(write)]
    if (value instanceof Set) return ['set', Array.from(value, write)]
    return value instanceof Map
      ? ['map', [...value].flat().map(write)]
      : ['object', Object.entries(value).flatMap(([key, each]) => [[key], write(each)])]
  }
  const write = (value: unknown): Reference => {
    if (value === undefined) return []
    if (typeof value === 'string') return [writeText(value)]
    if (typeof value !== 'object' || value === null) return [value]
    const known = indexes.get(value)
    if (known !== undefined) return known
    const index = indexes.size
    indexes.set(value, index)
    nodes[index] = toNode(replace(value))
    return index
  }
  write(root)
  return JSON.stringify(nodes)
}

const createEmpty = ([kind]: Node):
  | unknown[]
  | Set<unknown>
  | Map<unknown, unknown>
  | Record<string, unknown> => {
  if (kind === 'array') return []
  if (kind === 'set') return new Set()
  return kind === 'map' ? new Map() : {}
}

/** Reads what {@link writeObjects} wrote. */
export const readObjects = (text: string): unknown => {
  const nodes: readonly Node[] = JSON.parse(text)
  const objects = nodes.map(createEmpty)
  const read = (reference: Reference | undefined): unknown =>
    typeof reference === 'number' ? objects[reference] : reference?.[0]
  for (const [index, [, items]] of nodes.entries()) {
    const target = objects[index]
    if (Array.isArray(target)) for (const item of items) target.push(read(item))
    else if (target instanceof Set) for (const item of items) target.add(read(item))
    else {
      for (let at = 0; at < items.length; at += 2) {
        const [key, value] = [read(items[at]), read(items[at + 1])]
        if (target instanceof Map) target.set(key, value)
        else if (target !== undefined) target[String(key)] = value
      }
    }
  }
  return objects[0]
}
