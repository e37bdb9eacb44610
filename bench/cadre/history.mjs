import './fanout.mjs'
