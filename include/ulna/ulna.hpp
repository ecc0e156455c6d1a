// What most programs need, in one include. Identification (ulna/identify), simulation (ulna/sim), campaigns (ulna/campaign), generated code and
// equations (ulna/emit), formulations and their counts (ulna/formulation), verification (ulna/verify), explanations (ulna/explain) and studies (ulna/study)
// have headers of their own; so have programs of operations (ulna/expr, ulna/trace).
#pragma once

#include <ulna/check/check.hpp>       // laws of mechanics that a model must obey; limits that a motion keeps
#include <ulna/dynamics/on_plan.hpp>  // free functions on a Plan and a Workspace
#include <ulna/model/model.hpp>       // Model; positions of a robot whose base is free: integrate, difference, other conventions
#include <ulna/plan/plan.hpp>         // Plan: a model prepared for the kernels
#include <ulna/robot/analysis.hpp>    // Analysis: expensive results for a robot, computed once
#include <ulna/robot/dynamics.hpp>    // Dynamics: the robot's dynamics as machine code
#include <ulna/source/load.hpp>       // load: files and built-in robots
#include <ulna/version.hpp>           // the version's numbers
#include <ulna/views.hpp>             // VectorView, MatrixView, kNone
