// Everything of Ulna in one include.
#pragma once

#include <ulna/check/check.hpp>
#include <ulna/dynamics/on_plan.hpp>
#include <ulna/model/model.hpp>
#include <ulna/model/payload.hpp>
#include <ulna/model/reduce.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/source/builtin.hpp>
#include <ulna/source/load.hpp>
#include <ulna/version.hpp>
#include <ulna/views.hpp>
