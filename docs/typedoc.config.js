import { readFileSync } from 'node:fs'

/**
 * The packages whose import paths the reference lists, and which of their subpaths are left out.
 *
 * @type {Record<string, string[]>}
 */
const packages = {
  // It has no names.
  wabakit: ['./mock/vitest'],
  server: ['./control-types', './page'],
  conformance: [],
  core: ['.', './control', './live', './trace'],
}

/** Import paths, by their source files. */
export const importPaths = Object.entries(packages).flatMap(([folder, leftOut]) => {
  const { name, exports } = JSON.parse(
    readFileSync(new URL(`../packages/${folder}/package.json`, import.meta.url), 'utf8'),
  )
  return Object.entries(exports).flatMap(([subpath, { '@wabakit/source': source }]) =>
    source === undefined || leftOut.includes(subpath)
      ? []
      : [{ path: name + subpath.slice(1), file: `packages/${folder}/${source.slice(2)}` }],
  )
})

/** @type {Partial<import('typedoc').TypeDocOptions> & import('typedoc-plugin-markdown').PluginOptions} */
export default {
  name: 'API reference',
  entryPoints: importPaths.map(({ file }) => `../${file}`),
  tsconfig: '../tsconfig.json',
  // `npm run check:types` finds errors in the same sources.
  skipErrorChecking: true,
  plugin: [
    'typedoc-plugin-markdown',
    '.vitepress/typedoc/import-paths.js',
    '.vitepress/typedoc/written-names.js',
    '.vitepress/typedoc/export-pages.js',
    '.vitepress/typedoc/inline-options.js',
  ],
  out: 'api',
  readme: 'none',
  sortEntryPoints: false,
  includeVersion: false,
  disableSources: true,
  excludeInternal: true,
  treatWarningsAsErrors: true,
  validation: { notExported: true, invalidLink: true, notDocumented: true },
  requiredToBeDocumented: ['Variable', 'Function', 'Class', 'Interface', 'TypeAlias', 'Method', 'Accessor'],
  entryFileName: 'index',
  // Defined in export-pages.js.
  router: 'export',
  // For the sidebar.
  navigation: { includeGroups: true, includeFolders: false, includeCategories: false },
  navigationJson: 'api/navigation.json',
  excludeExternals: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  expandObjects: true,
  // All classes are errors, and readers need not know which types are interfaces.
  locales: {
    en: {
      kind_class: 'Error',
      kind_interface: 'Type',
      kind_type_alias: 'Type',
      kind_plural_class: 'Errors',
      kind_plural_interface: 'Types',
      kind_plural_type_alias: 'Types',
    },
  },
  groupOrder: ['Functions', 'Variables', 'Types', 'Errors'],
  sort: ['alphabetical-ignoring-documents'],
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  indexFormat: 'table',
  parametersFormat: 'table',
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true, hideSources: true },
  pageTitleTemplates: { module: '{name}', member: '{name}' },
}
