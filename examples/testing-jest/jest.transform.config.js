// For older versions of jest or Node, also compile the ES modules of these packages.
module.exports = {
  transform: {
    '\\.[jt]s$': ['babel-jest', { presets: [['@babel/preset-env', { targets: { node: 'current' } }]] }],
  },
  transformIgnorePatterns: ['/node_modules/(?!(?:@?wabakit|ky)/)'],
}
