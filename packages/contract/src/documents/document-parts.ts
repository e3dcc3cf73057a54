import manifest from '../../package.json' with { type: 'json' }
import type { JsonObject } from './schemas.ts'

export const createRef = (section: string, name: string): JsonObject => ({
  $ref: `#/components/${section}/${name}`,
})

export const describeJson = (schema: JsonObject, examples: JsonObject): JsonObject => ({
  'application/json': { schema, examples },
})

export const publisher = {
  contact: { name: 'wabakit', url: manifest.homepage },
  license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
}
