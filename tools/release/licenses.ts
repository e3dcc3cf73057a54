/** Licenses that allow every user to use, change and pass on what we install. */
const allowed = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'BlueOak-1.0.0',
]

/** A component of a CycloneDX document. */
export type Component = {
  readonly 'bom-ref': string
  readonly name: string
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[]
}

/** Lists the components whose license is not among those that we accept, with the license. */
export const findForeignLicenses = (components: readonly Component[]): string[] =>
  components.flatMap(({ 'bom-ref': reference, licenses = [] }) => {
    const names = licenses.map(({ license, expression }) => license?.id ?? expression ?? 'unknown')
    const isAllowed = names.some((each) => allowed.includes(each))
    return isAllowed ? [] : [`${reference}: ${names.join(', ') || 'no license'}`]
  })
