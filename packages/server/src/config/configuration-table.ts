import { type Setting, settings } from './settings.ts'

const code = (text: string | undefined): string => (text === undefined ? '–' : `\`${text}\``)

const defaultOf = ({ default: value, otherwise }: Setting): string =>
  otherwise ?? (Array.isArray(value) ? 'none' : code(String(value)))

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The settings as a table in Markdown. */
export const configurationTable = (): string => {
  const rows = settings.map((setting) => [
    code(setting.name),
    setting.flag === undefined ? 'in the file only' : `${code(setting.flag)}<br>${code(setting.variable)}`,
    defaultOf(setting),
    `${setting.about} ${capital(setting.form)}.`,
  ])
  return [['Setting', 'Flag and variable', 'Default', 'Meaning'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
