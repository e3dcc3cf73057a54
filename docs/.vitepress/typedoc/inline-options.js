import { writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PageEvent, RendererEvent } from 'typedoc'

/** Maximum length of a definition that stands next to the name of its type. */
const maxDefinition = 90

/**
 * Finds what the pages say about the type that a link leads to: on its own page, or in a section of the page that links to it.
 *
 * @typedef {(type: string, link: string) => string} Find
 */

/** The definition of a short alias, such as `string | Uint8Array`, as code in a table. */
const findDefinition = (/** @type {string} */ section) => {
  const [, written = ''] = section.match(/^```ts\ntype [^=]+ = (.*?);\n```/ms) ?? []
  const definition = written.replaceAll(/\s+/g, ' ').replace(/^ ?\| /, '')
  return definition === '' || definition.includes('{') || definition.length > maxDefinition
    ? ''
    : ` = \`${definition.replaceAll('|', '\\|')}\``
}

/** The table of a type's fields, without the anchors that its own section has, and with short aliases resolved. */
const findTable = (/** @type {Find} */ find, /** @type {string} */ type, /** @type {string} */ link) =>
  find(type, link)
    .split(/^#+ Properties\n/m)[1]
    ?.match(/(?:^\|.*\n)+/m)?.[0]
    .replaceAll(/<a id="[^"]*"><\/a> /g, '')
    .replaceAll('](#', link.startsWith('#') ? '](#' : `](${link}#`)
    .replaceAll(
      /^(\| `[^`]+` \| \[`(\w+)`\]\((#\w+|\w+\.md)\)[^|]*?) \|/gm,
      (_, cells, alias, to) => `${cells}${findDefinition(find(alias, to))} |`,
    )

/** The table of a function's options, and those of options that have options. */
const listOptions = (
  /** @type {Find} */ find,
  /** @type {{ type: string, link: string, heading: string }} */ { type, link, heading },
) => {
  const table = findTable(find, type, link)
  if (table === undefined) return ''
  const level = heading.split(' ')[0]
  const nested = [...table.matchAll(/^\| `(\w+)\??` \| \[`(\w+Options)`\]\((#\w+|\w+\.md)\)/gm)].map(
    ([, name, nestedType = '', to = '']) => {
      const fields = findTable(find, nestedType, to)
      return fields ? `\n${level} Options of \`${name}\`\n\n${fields}` : ''
    },
  )
  return `\n${heading}\n\n${table}${nested.join('')}`
}

/** Adds the options of each function on a page below its parameters. */
const showOptions = (/** @type {string} */ page, /** @type {Find} */ find) =>
  page.replaceAll(
    /^(#+) Parameters\n\n(?:\|.*\n)*?\| `(options\??)` \| \[`(\w+)`\]\((#\w+|\w+\.md)\).*\n(?:\|.*\n)*(?=\n)/gm,
    (rows, level, name, type, link) => {
      const heading = `${level} ${name === 'options' ? 'Options' : 'Options, all optional'}`
      return rows + listOptions(find, { type, link, heading })
    },
  )

/**
 * Shows the options of a function with the function: their names, types, defaults and bounds.
 *
 * @param {import('typedoc').Application} app
 */
export const load = (app) => {
  /** @type {Map<string, string>} */
  const pages = new Map()
  app.renderer.on(PageEvent.END, ({ url, contents }) => void pages.set(url, contents ?? ''))
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    for (const [url, page] of pages) {
      const shown = showOptions(page, (type, link) =>
        link.startsWith('#')
          ? (page.split(`\n### ${type}\n`)[1]?.split('\n### ')[0] ?? '')
          : (pages.get(posix.join(posix.dirname(url), link)) ?? ''),
      )
      if (shown !== page) writeFileSync(join(outputDirectory, url), shown)
    }
  })
}
