#!/usr/bin/env node
import "../dist/bundle/earshot.js"
