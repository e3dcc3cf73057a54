// For older jest or Node: compile the ES modules of these packages, too.
module.exports = {
  transform: {
    '\\.[jt]s$': ['babel-jest', { presets: [['@babel/preset-env', { targets: { node: 'current' } }]] }],
  },
  transformIgnorePatterns: ['/node_modules/(?!(?:@?wabakit|ky)/)'],
}
