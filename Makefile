# Every recipe is one line that calls one program; `make help` lists the targets.
PYTHON := backend/.venv/bin/python
CACHE := $(or $(LUNETTE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lunette)
export LUNETTE_CACHE := $(CACHE)
export PATH := $(CACHE)/tools/bin:$(PATH)
export UV_PYTHON_DOWNLOADS := never
export PYTHONUNBUFFERED := 1
# Compiled modules are kept: every one of the many processes of a run would compile all it imports again.
unexport PYTHONDONTWRITEBYTECODE
# Machines need root: name spaces, the image. The rest of a recipe stays with whoever called it.
ROOT := $(if $(filter-out 0,$(shell id -u)),sudo env "PATH=$(PATH)" "LUNETTE_CACHE=$(CACHE)" PYTHONUNBUFFERED=1)
# Who signs updates, and whom an image trusts.
SIGNING = $(if $(CERT),--cert $(CERT)) $(if $(TRUST),--trust $(TRUST)) $(if $(CRL),--crl $(CRL))
.DEFAULT_GOAL := help
.PHONY: help deps lab lab-down test test-full check dev e2e bench image update generate screenshots

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 14

deps: ## install what the other targets need (Debian or Ubuntu packages, Python and node environments)
	@tests/run/deps python ui machines browser database

lab: ## boot an appliance with 12 disks, serve 32 volumes to 4 hosts, stay up until Ctrl-C
	@tests/run/deps python ui machines && exec $(ROOT) $(PYTHON) -m tests.lab up

lab-down: ## stop the appliance of `make lab` from another terminal
	@$(ROOT) $(PYTHON) -m tests.lab down

test: deps ## run every test a change must pass, and say at the end what ran and what did not
	@$(ROOT) $(PYTHON) -m tests.run.suite --require-all

test-full: deps ## run the whole matrix, resumable; SHARD=name runs one shard, SHARD=list names them
	@tests/run/deps docker && $(ROOT) $(PYTHON) -m tests.run.suite --require-all --full $(if $(SHARD),--shard $(SHARD))

check: ## format, lint, types, import rule, sizes, stale generated files
	@tests/run/deps python node && $(PYTHON) -m tests.run.check

dev: ## the API with a fake machine behind it and the web page, both reloading when their source changes
	@tests/run/deps python node && $(PYTHON) -m tests.run.dev

e2e: deps ## only the end-to-end tests
	@$(ROOT) $(PYTHON) -m tests.run.suite --require-all uml qemu fabrics ui-e2e

bench: deps ## run the benchmarks and write docs/reference/benchmarks.md; WHAT=name runs one of them
	@$(ROOT) $(PYTHON) -m tests.benchmarks $(WHAT)

image: ## build the ISO of the appliance, with checksums and a bill of materials
	@tests/run/deps python ui machines && $(ROOT) image/build iso $(if $(filter no,$(FIRMWARE)),--without-firmware) $(SIGNING) $(if $(SPDK),--spdk $(SPDK))

update: ## build a signed update for installed appliances; CERT and KEY name who signs, TRUST and CRL whom it trusts then
	@tests/run/deps python ui machines && $(ROOT) image/build update $(if $(filter no,$(FIRMWARE)),--without-firmware) $(SIGNING) $(if $(KEY),--key $(KEY)) $(if $(SPDK),--spdk $(SPDK))

generate: ## write backend/openapi.json and every client generated from it
	@tests/run/deps python node && $(PYTHON) -m tests.run.generate

screenshots: deps ## take the pictures of the documentation from a freshly booted scene
	@$(ROOT) $(PYTHON) -m tests.run.web screenshots
