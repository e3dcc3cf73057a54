import { PageEvent } from 'typedoc'

/** Maximum length of a definition that stands next to the name of its type. */
const maxDefinition = 90

/** Returns the section of a page about a type. */
const findSection = (/** @type {string} */ page, /** @type {string} */ type) =>
  page.split(`\n### ${type}\n`)[1]?.split('\n### ')[0] ?? ''

/** The definition of a short alias, such as `string | Uint8Array`, as code in a table. */
const findDefinition = (/** @type {string} */ page, /** @type {string} */ type) => {
  const [, written = ''] = findSection(page, type).match(/^```ts\ntype [^=]+ = (.*?);\n```/ms) ?? []
  const definition = written.replaceAll(/\s+/g, ' ').replace(/^ ?\| /, '')
  return definition === '' || definition.includes('{') || definition.length > maxDefinition
    ? ''
    : ` = \`${definition.replaceAll('|', '\\|')}\``
}

/** The table of a type's fields, without the anchors that its own section has, and with short aliases resolved. */
const findTable = (/** @type {string} */ page, /** @type {string} */ type) =>
  findSection(page, type)
    .split('#### Properties\n')[1]
    ?.match(/(?:^\|.*\n)+/m)?.[0]
    .replaceAll(/<a id="[^"]*"><\/a> /g, '')
    .replaceAll(
      /^(\| `[^`]+` \| \[`(\w+)`\]\(#\w+\)[^|]*?) \|/gm,
      (_, cells, alias) => `${cells}${findDefinition(page, alias)} |`,
    )

/** The table of a function's options, and those of options that have options. */
const listOptions = (
  /** @type {string} */ page,
  /** @type {{ type: string, heading: string }} */ options,
) => {
  const table = findTable(page, options.type)
  if (table === undefined) return ''
  const nested = [...table.matchAll(/^\| `(\w+)\??` \| \[`(\w+Options)`\]/gm)].map(([, name, type = '']) => {
    const fields = findTable(page, type)
    return fields ? `\n#### Options of \`${name}\`\n\n${fields}` : ''
  })
  return `\n#### ${options.heading}\n\n${table}${nested.join('')}`
}

/**
 * Shows the options of a function with the function: their names, types, defaults and bounds.
 *
 * @param {import('typedoc').Application} app
 */
export const load = (app) => {
  app.renderer.on(PageEvent.END, (page) => {
    const contents = page.contents ?? ''
    page.contents = contents.replaceAll(
      /^\| `(options\??)` \| \[`(\w+)`\]\(#\w+\).*\n(?:\|.*\n)*(?=\n)/gm,
      (rows, name, type) =>
        `${rows}${listOptions(contents, { type, heading: name === 'options' ? 'Options' : 'Options, all optional' })}`,
    )
  })
}
