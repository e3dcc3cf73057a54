import manifest from '../../package.json' with { type: 'json' }

/** Who publishes the documents, and under which license. */
export const publisher = {
  contact: { name: 'wabakit', url: manifest.homepage },
  license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
}
