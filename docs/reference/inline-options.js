import { PageEvent } from 'typedoc'

/** The table of a type's fields, without the anchors that its own section has. */
const findTable = (/** @type {string} */ page, /** @type {string} */ type) => {
  const section = page.split(`\n### ${type}\n`)[1]?.split('\n### ')[0] ?? ''
  return section
    .split('#### Properties\n')[1]
    ?.match(/(?:^\|.*\n)+/m)?.[0]
    .replaceAll(/<a id="[^"]*"><\/a> /g, '')
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
      /^\| `(options\??)` \| \[`(\w+)`\]\(#\w+\).*\n(?=\n)/gm,
      (row, name, type) => {
        const table = findTable(contents, type)
        return table
          ? `${row}\n#### ${name === 'options' ? 'Options' : 'Options, all optional'}\n\n${table}`
          : row
      },
    )
  })
}
